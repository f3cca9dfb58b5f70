// Runs a netlist with emp-sh2pc: semi-honest, half gates, IKNP OTs.
#include "driver.hpp"

#include <emp-sh2pc/emp-sh2pc.h>

int main(int count, char **words) {
    return drive(count, words, [](const Job &job) {
        auto io = job.connect();
        // By default, the session makes 16,384 OTs in advance, for many runs. Here it makes the
        // OTs of one run at a time, so that each run has the cost of its own OTs. (The layer below
        // makes 2,048 OTs at a time.)
        int ots = int(std::max<size_t>(job.netlist.widths[1], 1));
        emp::SH2PCSession session(io.get(), job.party, ots);

        auto run = [&](const Bits &input) {
            std::vector<emp::block> wires;
            for (int owner : {emp::ALICE, emp::BOB}) {
                size_t width = job.netlist.widths[owner == emp::ALICE ? 0 : 1];
                // Only the bits of this party are read.
                std::unique_ptr<bool[]> bits(new bool[width]());
                if (owner == job.party) std::copy(input.begin(), input.end(), bits.get());
                auto labels = session.input_bits(owner, bits.get(), width);
                wires.insert(wires.end(), labels.begin(), labels.end());
            }
            auto out = emp::execute_program(session.ctx(), job.netlist.program, std::span<const emp::block>(wires));
            std::unique_ptr<bool[]> opened(new bool[out.size()]());
            session.reveal_bits(opened.get(), emp::PUBLIC, out.data(), out.size());
            io->flush();
            return Bits(opened.get(), opened.get() + out.size());
        };
        measure(job, *io, run, [&] { return io->send_counter + io->recv_counter; });
        session.finalize();
    });
}
