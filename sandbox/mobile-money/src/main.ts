import { join } from "node:path";
import { portOf, runProgram } from "@lango/sandbox-base";
import { defaultPort, startMobileMoneySandbox } from "./start-sandbox.ts";

/** Settings are read once, here, and passed on as values. */
const { env } = process;
const {
	SANDBOX_SEED: seed,
	SANDBOX_HOST: host,
	SANDBOX_PATH_ALIAS: pathAlias,
	SANDBOX_RECEIPT_KEY: receiptKey,
	SANDBOX_FREQUENCIES: frequencies,
	SANDBOX_CONTROL_OPEN: controlOpen,
	LANGO_HOME: home,
	SANDBOX_TRUTH_FILE: truthFile,
} = env;

await runProgram({
	name: "The mobile-money sandbox",
	env,
	start: async () => {
		const sandbox = await startMobileMoneySandbox({
			port: portOf(env, "MOBILE_MONEY_SANDBOX_PORT", defaultPort),
			truthFile: truthFile || join(home || ".lango", "sandboxes", "mobile-money.jsonl"),
			isControlOpen: controlOpen === "true",
			...(host && { host }),
			...(seed && { seed }),
			...(pathAlias && { pathAlias }),
			...(frequencies === "published" && { frequencies }),
			...(receiptKey && { receiptKey }),
		});
		return { banner: `Phones: ${sandbox.url}  Reference: ${sandbox.url}/docs`, stop: () => sandbox.stop() };
	},
});
