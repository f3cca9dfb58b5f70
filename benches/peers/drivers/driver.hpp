// Shared code of the drivers for emp: the arguments, the netlist, the runs and the output line.
// README.md in the parent folder describes drivers.
#pragma once

// emp listens on all addresses of the machine; these drivers use only loopback.
#include <netinet/in.h>
#undef INADDR_ANY
#define INADDR_ANY INADDR_LOOPBACK

#include <emp-tool/emp-tool.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using Bits = std::vector<uint8_t>;

// A netlist in Bristol Fashion with two input values, as a program for emp. In such a program,
// gates write consecutive wires, so the wires are renumbered.
struct Netlist {
    emp::circuit::BooleanProgram program;
    size_t widths[2] = {0, 0};

    explicit Netlist(const std::string &path) {
        std::ifstream file(path);
        size_t gates = 0, wires = 0, inputs = 0, values = 0, outputs = 0;
        file >> gates >> wires >> inputs >> widths[0] >> widths[1] >> values;
        if (!file || inputs != 2) throw std::runtime_error(path + ": not a netlist with two input values");
        for (size_t value = 0, width = 0; value < values && file >> width; ++value) outputs += width;
        program.num_inputs = program.num_wires = uint32_t(widths[0] + widths[1]);
        if (!file || wires < outputs || wires < program.num_inputs)
            throw std::runtime_error(path + ": the widths do not match the number of wires");
        number.assign(wires, unwritten);
        for (uint32_t wire = 0; wire < program.num_inputs; ++wire) number[wire] = wire;
        for (size_t gate = 0; gate < gates; ++gate) read_gate(file);
        for (size_t wire = wires - outputs; wire < wires; ++wire) program.outputs.push_back(of(wire));
        number.clear();
    }

  private:
    static constexpr uint32_t unwritten = UINT32_MAX;
    std::vector<uint32_t> number;  // the new number of each wire of the file

    uint32_t of(size_t wire) const {
        if (number.at(wire) == unwritten) throw std::runtime_error("a wire is read before it is written");
        return number[wire];
    }

    void read_gate(std::ifstream &file) {
        size_t reads = 0, writes = 0, from[2] = {0, 0}, to = 0;
        std::string name;
        file >> reads >> writes;
        if (!file || reads < 1 || reads > 2 || writes != 1)
            throw std::runtime_error("a gate with an invalid number of inputs or outputs");
        for (size_t input = 0; input < reads; ++input) file >> from[input];
        file >> to >> name;
        using emp::circuit::Op;
        if (name == "EQW") {
            number.at(to) = of(from[0]);
            return;
        }
        Op op;
        if (name == "AND" && reads == 2) op = Op::And;
        else if (name == "XOR" && reads == 2) op = Op::Xor;
        else if ((name == "INV" || name == "NOT") && reads == 1) op = Op::Not;
        else throw std::runtime_error("unknown gate: " + name);
        uint32_t first = of(from[0]), second = reads == 2 ? of(from[1]) : 0;
        program.gates.push_back({first, second, program.num_wires, op});
        number.at(to) = program.num_wires++;
    }
};

// DRIVER PARTY PORT NETLIST ROUNDS [INPUT1 INPUT2]
struct Job {
    int party, port, rounds;
    Netlist netlist;
    std::optional<Bits> fixed;  // the input of this party, if it is given

    static Job from(int count, char **words) {
        if (count != 5 && count != 7)
            throw std::runtime_error("usage: DRIVER PARTY PORT NETLIST ROUNDS [INPUT1 INPUT2]");
        Job job{std::stoi(words[1]), std::stoi(words[2]), std::stoi(words[4]), Netlist(words[3]), std::nullopt};
        if (job.party < 1 || job.party > 2 || job.rounds < 1)
            throw std::runtime_error("PARTY must be 1 or 2, and ROUNDS at least 1");
        if (count == 7) {
            job.fixed.emplace();
            for (char bit : std::string(words[4 + job.party])) job.fixed->push_back(bit == '1');
            if (job.fixed->size() != job.width())
                throw std::runtime_error("the width of the input does not match the netlist");
        }
        return job;
    }

    size_t width() const { return netlist.widths[party - 1]; }

    std::unique_ptr<emp::NetIO> connect() const {
        return party == 1 ? emp::NetIO::listen(port, true) : emp::NetIO::connect("127.0.0.1", port, true);
    }

    Bits input() const {
        static std::mt19937_64 random{std::random_device{}()};
        if (fixed) return *fixed;
        Bits bits(width());
        for (auto &bit : bits) bit = random() & 1;
        return bits;
    }
};

// Waits until both parties have reached this point.
inline void meet(emp::NetIO &io, int party) {
    char here = 1;
    if (party == 1) io.send_data(&here, 1), io.recv_data(&here, 1);
    else io.recv_data(&here, 1), io.send_data(&here, 1);
    io.flush();
}

// Calls `run` once to warm up, and then `job.rounds` times. `run` takes the input of this party and
// returns the outputs; `traffic` returns the bytes sent and received so far.
template <class Run, class Traffic>
void measure(const Job &job, emp::NetIO &io, Run run, Traffic traffic) {
    std::vector<double> times(job.rounds);
    uint64_t bytes = 0;
    Bits outputs;
    for (int round = -1; round < job.rounds; ++round) {
        Bits input = job.input();
        meet(io, job.party);
        uint64_t before = traffic();
        auto start = std::chrono::steady_clock::now();
        outputs = run(input);
        std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        if (round < 0) continue;
        times[round] = took.count();
        bytes += traffic() - before;
    }
    if (job.party == 2) {
        io.send_data(times.data(), times.size() * sizeof(double));
        io.send_data(outputs.data(), outputs.size());
        io.flush();
        return;
    }
    std::vector<double> theirs(times.size());
    Bits same(outputs.size());
    io.recv_data(theirs.data(), theirs.size() * sizeof(double));
    io.recv_data(same.data(), same.size());
    if (same != outputs) throw std::runtime_error("the parties have different outputs");
    for (size_t round = 0; round < times.size(); ++round) times[round] = std::max(times[round], theirs[round]);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    std::printf("{\"ms\": %.6f, \"bytes\": %.1f", times[times.size() / 2], double(bytes) / job.rounds);
    if (job.fixed) {
        std::printf(", \"outputs\": \"");
        for (uint8_t bit : outputs) std::putchar(bit ? '1' : '0');
        std::printf("\"");
    }
    std::printf("}\n");
}

// Runs a driver and prints its error, if any.
template <class Drive>
int drive(int count, char **words, Drive driver) {
    try {
        driver(Job::from(count, words));
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
