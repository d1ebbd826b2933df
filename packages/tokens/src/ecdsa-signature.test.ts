import { generateKeyPairSync, sign, verify } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fromDer, toDer } from "./ecdsa-signature.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

test("Node verifies signatures of OpenSSL that were converted to the form of tokens", () => {
	for (let n = 0; n < 500; n += 1) {
		const data = Buffer.from(`message ${n}`);
		const raw = fromDer(sign("sha256", data, privateKey));
		expect(verify("sha256", data, { key: publicKey, dsaEncoding: "ieee-p1363" }, raw)).toBe(true);
	}
});

test("every pair of numbers survives conversion to DER and back, also with leading zeros", () => {
	const number = fc
		.tuple(fc.nat({ max: 31 }), fc.uint8Array({ minLength: 32, maxLength: 32 }))
		.map(([zeros, bytes]) => bytes.map((byte, at) => (at < zeros ? 0 : byte)));
	fc.assert(
		fc.property(number, number, (r, s) => {
			const raw = Buffer.concat([r, s]);
			const der = toDer(raw);
			expect(der && fromDer(der)).toEqual(raw);
		}),
	);
});

test("a signature of the wrong length is refused", () => {
	for (const length of [0, 63, 65, 128]) expect(toDer(Buffer.alloc(length, 1))).toBeUndefined();
});
