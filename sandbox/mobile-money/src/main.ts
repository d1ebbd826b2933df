import { runProgram } from "@lango/sandbox-base";
import { optionsOf } from "./options.ts";
import { startMobileMoneySandbox } from "./start-sandbox.ts";

/** Settings are read once, here, and passed on as values. */
const { env, argv } = process;

await runProgram({
	name: "The mobile-money sandbox",
	env,
	start: async () => {
		const { url, stop } = await startMobileMoneySandbox(optionsOf(env, argv.slice(2)));
		return { banner: `Phones: ${url}  Reference: ${url}/docs`, stop };
	},
});
