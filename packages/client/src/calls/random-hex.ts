/** Returns `length` random bytes as hex. */
export const randomHex = (length: number): string =>
	[...crypto.getRandomValues(new Uint8Array(length))]
		.map((byte) => byte.toString(16).padStart(2, "0"))
		.join("");
