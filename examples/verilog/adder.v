// The sum of two 32-bit numbers.
module adder (input [31:0] a, input [31:0] b, output [32:0] sum);
  assign sum = a + b;
endmodule
