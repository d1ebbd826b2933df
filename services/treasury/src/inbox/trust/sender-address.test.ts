import { expect, test } from "vitest";
import { addressOf, isHintByAddress } from "./sender-address.ts";

const rule = (ip_mode: "observe" | "enforce", ...allow_ips: string[]) => ({ allow_ips, ip_mode });

test.each([
	["196.201.214.200", ["196.201.214.200"], "expected"],
	["196.201.214.7", ["196.201.214.0/24"], "expected"],
	["::ffff:196.201.214.7", ["196.201.214.0/24"], "expected"],
	["2001:db8::7", ["2001:db8::/32"], "expected"],
	["196.201.215.7", ["196.201.214.0/24", "2001:db8::/32"], "foreign"],
	["196.201.215.7", [], "unknown"],
])("the address %s is by the list %j %s", (remoteIp, allowIps, wanted) => {
	expect(addressOf({ remoteIp }, rule("observe", ...allowIps))).toBe(wanted);
});

test("only a foreign address makes a hint, and only where the list is enforced", () => {
	const hints = (["expected", "foreign", "unknown"] as const).filter((one) =>
		isHintByAddress(one, rule("enforce", "192.0.2.1")),
	);
	expect(hints).toEqual(["foreign"]);
	expect(isHintByAddress("foreign", rule("observe", "192.0.2.1"))).toBe(false);
});
