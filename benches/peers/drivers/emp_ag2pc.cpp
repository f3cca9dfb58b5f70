// Runs a netlist with emp-ag2pc: authenticated garbling, malicious security.
#include "driver.hpp"

#include <emp-ag2pc/emp-ag2pc.h>

// The threads of a party, as in the examples of emp-ag2pc.
constexpr int THREADS = 4;

int main(int count, char **words) {
    return drive(count, words, [](const Job &job) {
        auto io = job.connect();
        ThreadPool pool(THREADS);
        emp::AG2PCSession session(io.get(), &pool, job.party);
        // The session's types have widths that are known at compile time. The widths of a netlist
        // come from a file, so this driver uses the layer below.
        AG2PCProtocol &protocol = session.protocol();
        emp::AG2PCEngine engine{&protocol};

        auto run = [&](const Bits &input) {
            std::vector<Bits> bits{Bits(job.netlist.widths[0]), Bits(job.netlist.widths[1])};
            bits[job.party - 1] = input;
            auto wires = protocol.process_inputs({emp::ALICE, emp::BOB}, bits);
            emp::ag2pc_detail::append_bundle(wires[0], wires[1]);
            auto out = engine.run_program(job.netlist.program, wires[0]);
            Bits opened = protocol.decode(out, emp::PUBLIC);
            io->flush();
            protocol.sib->flush();
            return opened;
        };
        auto traffic = [&](const emp::NetIO &line) { return line.send_counter + line.recv_counter; };
        measure(job, *io, run, [&] { return traffic(*io) + traffic(*protocol.sib); });
    });
}
