import { join } from "node:path";
import { parseArgs } from "node:util";
import { portOf } from "@lango/sandbox-base";
import { type CardGatewayOptions, defaultPort } from "./start-card-gateway.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const prefix = "CARD_GATEWAY_SANDBOX_";

/** The settings of the program that are plain texts. */
const texts = {
	host: "HOST",
	seed: "SEED",
	stateFile: "STATE_FILE",
	publicUrl: "PUBLIC_URL",
	pathPrefix: "PATH_PREFIX",
	webhookUrl: "WEBHOOK_URL",
} as const;

/**
 * Reads the settings of the program; `--seed` wins over its setting. Throws at a value that means nothing.
 */
export function optionsOf(env: Environment, args: readonly string[] = []): CardGatewayOptions {
	const { values } = parseArgs({ args: [...args], options: { seed: { type: "string" } } });
	const given = Object.entries(texts).flatMap(([member, name]) => {
		const value = env[prefix + name];
		return value ? [[member, value]] : [];
	});
	return {
		stateFile: join(env["LANGO_HOME"] || ".lango", "sandboxes", "card-gateway.jsonl"),
		...Object.fromEntries(given),
		...(values.seed && { seed: values.seed }),
		...(env["CARDGW_SECRET_KEY"] && { secretKey: env["CARDGW_SECRET_KEY"] }),
		port: portOf(env, `${prefix}PORT`, defaultPort),
		signatureAliases: (env[`${prefix}SIGNATURE_ALIASES`] ?? "").split(",").filter((name) => name !== ""),
		isOtpRequired: choose(env, "OTP", ["off", "on"]) === "on",
		isControlOpen: choose(env, "CONTROL", ["local", "open"]) === "open",
		settlementDays: Number(choose(env, "SETTLEMENT_DAYS", ["1", "2"])),
		settlesTo: choose(env, "SETTLES_TO", ["bank", "balance"]),
	};
}

/** The value of a setting; the first choice if it is missing. */
function choose<Choice extends string>(
	env: Environment,
	name: string,
	choices: readonly [Choice, ...Choice[]],
): Choice {
	const value = env[prefix + name] || choices[0];
	const chosen = choices.find((choice) => choice === value);
	if (chosen === undefined) throw new Error(`${prefix}${name} is not one of ${choices.join(", ")}: ${value}`);
	return chosen;
}
