import { expect, test } from "vitest";
import { readSecrets } from "./read-secrets.ts";

test("only secrets that were entered are sent, so that stored ones stay", () => {
	const entered = new FormData();
	entered.set("passkey", " new-passkey ");
	entered.set("consumer_key", "");
	expect(readSecrets(entered, ["passkey", "consumer_key", "consumer_secret"])).toEqual({
		passkey: "new-passkey",
	});
});
