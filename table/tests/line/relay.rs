//! Two players who can only connect out.
