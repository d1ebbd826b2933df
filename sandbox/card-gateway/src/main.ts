import { runProgram } from "@lango/sandbox-base";
import { optionsOf } from "./options.ts";
import { startCardGateway } from "./start-card-gateway.ts";

/** Settings are read once, here, and passed on as values. */
const { env, argv } = process;

await runProgram({
	name: "The sandbox of a card gateway",
	env,
	start: async () => {
		const { url, stop } = await startCardGateway(optionsOf(env, argv.slice(2)));
		return { banner: `Card gateway: ${url}`, stop };
	},
});
