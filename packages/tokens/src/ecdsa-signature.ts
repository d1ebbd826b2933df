/**
 * The two forms of an ECDSA signature on P-256: two numbers of 32 bytes one after the other, as tokens have it (RFC 7518 §3.4),
 * and ASN.1 DER, as OpenSSL has it. Node converts by itself when it is given a key with options, but looking at those options
 * takes as long as the signature does.
 */
const half = 32;

/** DER to the form of tokens. Expects what OpenSSL made. */
export function fromDer(der: Buffer): Buffer {
	const raw = Buffer.alloc(2 * half);
	// SEQUENCE of two INTEGERs, all lengths below 128: tag, length, tag, length, r, tag, length, s.
	const rLength = der[3] ?? 0;
	const s = 4 + rLength + 2;
	place(der.subarray(4, 4 + rLength), raw, half);
	place(der.subarray(s, s + (der[s - 1] ?? 0)), raw, 2 * half);
	return raw;
}

/** The form of tokens to DER; undefined when it has not the length of one. */
export function toDer(raw: Buffer): Buffer | undefined {
	if (raw.length !== 2 * half) return undefined;
	const [r, s] = [integer(raw.subarray(0, half)), integer(raw.subarray(half))];
	return Buffer.concat([Buffer.from([0x30, r.length + s.length]), r, s]);
}

/** Copies a number so that it ends at `end`, without the zero that keeps it positive. */
function place(number: Buffer, into: Buffer, end: number): void {
	const bytes = number.length > half ? number.subarray(number.length - half) : number;
	bytes.copy(into, end - bytes.length);
}

/** An INTEGER: no zeros in front, but one where it would be negative. */
function integer(number: Buffer): Buffer {
	let from = 0;
	while (from < half - 1 && number[from] === 0) from += 1;
	const bytes = number.subarray(from);
	const isNegative = (bytes[0] ?? 0) >= 0x80;
	return Buffer.concat([
		Buffer.from([0x02, bytes.length + (isNegative ? 1 : 0), ...(isNegative ? [0] : [])]),
		bytes,
	]);
}
