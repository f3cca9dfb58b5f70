// Sorts eight bytes in ascending order, by Batcher's odd-even merge sort: 19 comparators.
module sorter (
    input [7:0] a0, input [7:0] a1, input [7:0] a2, input [7:0] a3,
    input [7:0] b0, input [7:0] b1, input [7:0] b2, input [7:0] b3,
    output [7:0] y0, output [7:0] y1, output [7:0] y2, output [7:0] y3,
    output [7:0] y4, output [7:0] y5, output [7:0] y6, output [7:0] y7);
  wire [7:0] c0, c1, c2, c3, c4, c5, c6, c7, d0, d1, d2, d3, d4, d5, d6, d7;
  wire [7:0] e1, e2, e5, e6, f1, f2, f3, f4, f5, f6, g2, g3, g4, g5;

  // Sort pairs.
  comparator p01 (a0, a1, c0, c1), p23 (a2, a3, c2, c3);
  comparator p45 (b0, b1, c4, c5), p67 (b2, b3, c6, c7);
  // Merge pairs into two sorted halves.
  comparator q02 (c0, c2, d0, d2), q13 (c1, c3, d1, d3), q12 (d1, d2, e1, e2);
  comparator q46 (c4, c6, d4, d6), q57 (c5, c7, d5, d7), q56 (d5, d6, e5, e6);
  // Merge the halves.
  comparator r04 (d0, d4, y0, f4), r15 (e1, e5, f1, f5);
  comparator r26 (e2, e6, f2, f6), r37 (d3, d7, f3, y7);
  comparator r24 (f2, f4, g2, g4), r35 (f3, f5, g3, g5);
  comparator s12 (f1, g2, y1, y2), s34 (g3, g4, y3, y4), s56 (g5, f6, y5, y6);
endmodule

module comparator (input [7:0] a, input [7:0] b, output [7:0] low, output [7:0] high);
  wire swap = b < a;
  assign low = swap ? b : a;
  assign high = swap ? a : b;
endmodule
