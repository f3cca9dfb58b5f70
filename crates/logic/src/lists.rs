//! Many short lists in one allocation.

/// Lists that are numbered from 0.
pub(crate) struct Lists<T> {
    /// List `i` is `items[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// No lists, with space for the starts of `count` lists.
    pub(crate) fn with_capacity(count: usize) -> Self {
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        Lists {
            starts,
            items: Vec::new(),
        }
    }

    /// `count` lists with these entries: pairs of a list and an item of it. `entries` is called twice.
    pub(crate) fn of<I: Iterator<Item = (usize, T)>>(
        count: usize,
        entries: impl Fn() -> I,
    ) -> Self {
        let mut starts = vec![0; count + 1];
        for (list, _) in entries() {
            starts[list] += 1;
        }
        let mut start = 0u32;
        for end in &mut starts {
            let length = std::mem::replace(end, start);
            start = start.checked_add(length).expect("fewer than 2^32 items");
        }
        let mut items = vec![T::default(); start as usize];
        // Each start moves to the end of its list, which is the start of the next one.
        for (list, item) in entries() {
            let place = &mut starts[list];
            items[*place as usize] = item;
            *place += 1;
        }
        starts.pop();
        starts.insert(0, 0);
        Lists { starts, items }
    }

    /// Adds a list.
    pub(crate) fn push(&mut self, items: &[T]) {
        self.items.extend_from_slice(items);
        let end = u32::try_from(self.items.len());
        self.starts.push(end.expect("fewer than 2^32 items"));
    }

    /// The number of lists.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The items of a list.
    pub(crate) fn get(&self, list: usize) -> &[T] {
        let [start, end] = self.bounds(list);
        &self.items[start..end]
    }

    /// The items of a list, to change them in place.
    pub(crate) fn get_mut(&mut self, list: usize) -> &mut [T] {
        let [start, end] = self.bounds(list);
        &mut self.items[start..end]
    }

    fn bounds(&self, list: usize) -> [usize; 2] {
        [list, list + 1].map(|place| self.starts[place] as usize)
    }

    /// Empties the lists that are not to be kept, and frees their space.
    pub(crate) fn keep(&mut self, keeps: impl Fn(usize) -> bool) {
        let mut kept = 0;
        for list in 0..self.count() {
            let [start, end] = self.bounds(list);
            self.starts[list] = kept as u32;
            if keeps(list) {
                self.items.copy_within(start..end, kept);
                kept += end - start;
            }
        }
        let count = self.count();
        self.starts[count] = kept as u32;
        self.items.truncate(kept);
        self.items.shrink_to_fit();
    }
}
