import { expect, test } from "vitest";
import { optionsOf } from "./options.ts";

test("the settings are read, and --seed wins over its setting", () => {
	const env = {
		...{ MOBILE_MONEY_SANDBOX_PORT: "4190", SANDBOX_SEED: "one", SANDBOX_FREQUENCIES: "published" },
		...{ SANDBOX_PATH_ALIAS: "mpesa", SANDBOX_RECEIPT_KEY: "MpesaReceiptNumber", LANGO_HOME: "/home/lango" },
	};
	expect(optionsOf(env, ["--seed", "two"])).toEqual({
		...{ port: 4190, seed: "two", frequencies: "published", pathAlias: "mpesa", isControlOpen: false },
		receiptKey: "MpesaReceiptNumber",
		truthFile: "/home/lango/sandboxes/mobile-money.jsonl",
	});
});

test("without settings the seed is the default one, and other machines may not use the page", () => {
	expect(optionsOf({})).toEqual({
		...{ port: 4090, isControlOpen: false, truthFile: ".lango/sandboxes/mobile-money.jsonl" },
	});
});

test("a port or an argument that means nothing is refused by name", () => {
	expect(() => optionsOf({ MOBILE_MONEY_SANDBOX_PORT: "http" })).toThrow("MOBILE_MONEY_SANDBOX_PORT");
	expect(() => optionsOf({}, ["--sed", "two"])).toThrow("--sed");
});
