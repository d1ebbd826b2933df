/** The largest exact total of a list. A larger one means that there are more entries. */
export const totalMax = 10_000;
