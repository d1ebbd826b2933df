import fc from "fast-check";
import { expect, test } from "vitest";
import { type Channel, channels } from "../channel.ts";
import { maskAddress, normaliseAddress } from "./address.ts";

test.each<[Channel, string, string]>([
	["email", "Amina.Odhiambo+x@Example.COM", "Amina.Odhiambo+x@example.com"],
	["email", "  a@example.com ", "a@example.com"],
	["email", "a@bücher.example", "a@xn--bcher-kva.example"],
	["sms", "0712 345 678", "+254712345678"],
	["sms", "+254 (712) 345-678", "+254712345678"],
	["sms", "0118123456", "+254118123456"],
	["sms", "0141234567", "+254141234567"],
	["whatsapp", "+14155552671", "+14155552671"],
	["push", "fcm-token:APA91b_-", "fcm-token:APA91b_-"],
])("%s %s is %s", (channel, text, address) => {
	expect(normaliseAddress(channel, text, "KE")).toEqual({ ok: { kind: "address", address } });
});

test("a phone number without a country is of the tenant's region", () => {
	const address = "+255712345678";
	expect(normaliseAddress("sms", "0712345678", "TZ")).toEqual({ ok: { kind: "address", address } });
});

test.each<[Channel, string]>([
	["email", ""],
	["email", "a"],
	["email", "a@localhost"],
	["email", "a@example.com,b@example.com"],
	["email", "a@example.com;b@example.com"],
	["email", "Amina <a@example.com>"],
	["email", "a@example.com\r\nBcc: b@example.com"],
	["email", "a@example.com\n"],
	["email", "a\u0000b@example.com"],
	["email", '"a b"@example.com'],
	["email", "a@[127.0.0.1]"],
	["email", "a@127.0.0.1"],
	["email", "a@b@example.com"],
	["email", ".a@example.com"],
	["email", "a..b@example.com"],
	["email", "(x)a@example.com"],
	["email", "ä@example.com"],
	["email", `${"a".repeat(65)}@example.com`],
	["email", `a@${"a".repeat(64)}.example`],
	["email", `a@${"abc.".repeat(70)}example`],
	["email", "a@-example.com"],
	["email", "a@exa_mple.com"],
	["sms", "12"],
	["sms", "+2547123456789012345"],
	["sms", "0712345678 ext 5"],
	["sms", "0712345678;0712345679"],
	["sms", "call 0712345678"],
	["sms", "+254712345678\r\n"],
	["sms", "*100#"],
	["push", ""],
	["push", "a b"],
	["push", "a\nb"],
	["push", "a".repeat(4_097)],
	["in_app", "a@example.com"],
	["in_app", "user:1"],
])("%s refuses %j", (channel, text) => {
	expect(normaliseAddress(channel, text, "KE")).toHaveProperty("problem");
});

test.each(channels)("a user is a recipient on %s", (channel) => {
	const userId = "0192f0a1-0000-7000-8000-000000000001";
	expect(normaliseAddress(channel, `user:${userId.toUpperCase()}`, "KE")).toEqual({
		ok: { kind: "user", userId },
	});
});

test("an address that is accepted is one line, has one @ and stays the same when normalised again", () => {
	fc.assert(
		fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: "binary" }), fc.string()), (text) => {
			const result = normaliseAddress("email", text, "KE");
			if (!("ok" in result) || result.ok.kind !== "address") return;
			const { address } = result.ok;
			expect(address).toMatch(/^[\x21-\x7e]+$/);
			expect(address).not.toMatch(/[,;:<>()[\]"\\\s]/);
			expect(address.split("@")).toHaveLength(2);
			expect(normaliseAddress("email", address, "KE")).toEqual(result);
		}),
	);
});

test.each<[Channel, string, string]>([
	["email", "annie@example.com", "a…e@example.com"],
	["email", "al@example.com", "a…@example.com"],
	["email", "a@example.com", "a…@example.com"],
	["sms", "+254712345689", "+2547•••••89"],
	["sms", "+2901234", "+2•••••34"],
	["push", "fcm-token-0123456789abcdef", "•••••cdef"],
	["push", "short", "•••••"],
	["in_app", "user:0192f0a1-0000-7000-8000-000000000001", "user:0192f0a1-0000-7000-8000-000000000001"],
])("%s %s is shown as %s", (channel, address, masked) => {
	expect(maskAddress(channel, address)).toBe(masked);
});
