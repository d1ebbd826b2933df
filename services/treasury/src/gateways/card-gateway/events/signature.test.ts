import { createHash, createHmac, randomBytes, randomInt } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isSigned } from "./signature.ts";

const key = "sk_test_a";
const sign = (raw: Buffer | string, by = key) => createHmac("sha512", by).update(raw).digest("hex");

/** HMAC by its definition (RFC 2104 §2), independent of the one that is tested. */
function hmacByDefinition(by: Buffer, raw: Buffer): string {
	const sha512 = (...parts: Buffer[]) =>
		parts.reduce((hash, part) => hash.update(part), createHash("sha512")).digest();
	const blockBytes = 128;
	const short = by.length > blockBytes ? sha512(by) : by;
	const padded = Buffer.concat([short, Buffer.alloc(blockBytes - short.length)]);
	const pad = (byte: number) => Buffer.from(padded.map((one) => one ^ byte));
	return sha512(pad(0x5c), sha512(pad(0x36), raw)).toString("hex");
}

test("agrees with an independent check on 10,000 random bodies and keys", () => {
	for (let n = 0; n < 10_000; n += 1) {
		const by = randomBytes(randomInt(1, 200)).toString("hex");
		const raw = randomBytes(randomInt(0, 300));
		const signature = hmacByDefinition(Buffer.from(by), raw);
		expect(isSigned(raw, signature, [by])).toBe(true);
		expect(isSigned(Buffer.concat([raw, Buffer.from(" ")]), signature, [by])).toBe(false);
	}
});

test.each([
	['{"amount":1.00}'],
	[String.raw`{"name":"Jos\u00e9"}`],
	[String.raw`{"url":"https:\/\/lango.example"}`],
	['{"id":12345678901234567890}'],
	['{ "event" :  "charge.success" }'],
	['{"2":1,"1":2,"b":3,"a":4}'],
	['{"amount":1,"amount":2}'],
])("the signature is of the bytes: %s is verified, and refused once it is serialized again", (text) => {
	const raw = Buffer.from(text);
	const rewritten = Buffer.from(JSON.stringify(JSON.parse(text)));
	expect(isSigned(raw, sign(raw), [key])).toBe(true);
	expect(isSigned(rewritten, sign(raw), [key])).toBe(false);
});

describe("the keys", () => {
	const raw = Buffer.from("{}");

	test("are all accepted: the active one, one that is being retired, and the webhook secret", () => {
		for (const by of ["new", "old", "hook"])
			expect(isSigned(raw, sign(raw, by), ["new", "old", "hook"])).toBe(true);
		expect(isSigned(raw, sign(raw, "other"), ["new", "old", "hook"])).toBe(false);
	});

	test("without any, no signature is accepted", () => {
		expect(isSigned(raw, sign(raw), [])).toBe(false);
	});
});

test.each([
	["is missing", undefined],
	["is empty", ""],
	["is in upper case", sign("{}").toUpperCase()],
	["is shorter", sign("{}").slice(1)],
	["came twice", `${sign("{}")}, ${sign("{}")}`],
	["came twice as a list", [sign("{}"), sign("{}")]],
	["is of SHA-256", createHmac("sha256", key).update("{}").digest("hex")],
])("a signature that %s is refused", (_what, signature) => {
	expect(isSigned(Buffer.from("{}"), signature, [key])).toBe(false);
});
