// Rules for `techmap` of Yosys, with few ANDs where XORs are free.

// A sum, difference or comparison: one AND for each carry.
(* techmap_celltype = "$alu" *)
module alu_with_one_and_per_bit (A, B, CI, BI, X, Y, CO);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  input CI, BI;
  output [Y_WIDTH-1:0] X, Y, CO;

  wire [Y_WIDTH-1:0] a, b, c;
  \$pos #(.A_SIGNED(A_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) extend_a (.A(A), .Y(a));
  \$pos #(.A_SIGNED(B_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) extend_b (.A(B), .Y(b));
  wire [Y_WIDTH-1:0] d = b ^ {Y_WIDTH{BI}};
  assign c = {CO, CI};
  assign X = a ^ d;
  assign Y = X ^ c;
  // The majority of a, d and c.
  assign CO = c ^ ((a ^ c) & (d ^ c));
endmodule

// A choice: one AND for each bit. Two words are swapped for the same price.
(* techmap_celltype = "$mux" *)
module mux_with_one_and_per_bit (A, B, S, Y);
  parameter WIDTH = 1;
  input [WIDTH-1:0] A, B;
  input S;
  output [WIDTH-1:0] Y;
  assign Y = A ^ ({WIDTH{S}} & (A ^ B));
endmodule
