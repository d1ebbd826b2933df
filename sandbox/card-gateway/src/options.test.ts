import { expect, test } from "vitest";
import { optionsOf } from "./options.ts";

test("the settings are read, and --seed wins over its setting", () => {
	const env = {
		CARD_GATEWAY_SANDBOX_PORT: "4191",
		CARD_GATEWAY_SANDBOX_SEED: "one",
		CARD_GATEWAY_SANDBOX_OTP: "on",
		CARD_GATEWAY_SANDBOX_SETTLEMENT_DAYS: "2",
		CARD_GATEWAY_SANDBOX_SIGNATURE_ALIASES: "x-one,x-two",
		CARDGW_SECRET_KEY: "sk_1",
	};
	expect(optionsOf(env, ["--seed", "two"])).toEqual({
		...{ port: 4191, seed: "two", secretKey: "sk_1", isOtpRequired: true, isControlOpen: false },
		...{ settlementDays: 2, settlesTo: "bank", signatureAliases: ["x-one", "x-two"] },
		stateFile: ".lango/sandboxes/card-gateway.jsonl",
	});
});

test("the state is kept in a file: the named one, or one below LANGO_HOME", () => {
	const home = { LANGO_HOME: "/home/lango" };
	expect(optionsOf(home).stateFile).toBe("/home/lango/sandboxes/card-gateway.jsonl");
	const named = { ...home, CARD_GATEWAY_SANDBOX_STATE_FILE: "/tmp/state.jsonl" };
	expect(optionsOf(named).stateFile).toBe("/tmp/state.jsonl");
});

test.each([
	["SETTLEMENT_DAYS", "3"],
	["OTP", "yes"],
	["CONTROL", "all"],
	["SETTLES_TO", "pocket"],
	["PORT", "http"],
])("a value of CARD_GATEWAY_SANDBOX_%s that means nothing is refused by name", (name, value) => {
	const setting = `CARD_GATEWAY_SANDBOX_${name}`;
	expect(() => optionsOf({ [setting]: value })).toThrow(setting);
});
