import { join } from "node:path";
import { parseArgs } from "node:util";
import { portOf } from "@lango/sandbox-base";
import { defaultPort, type SandboxOptions } from "./start-sandbox.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of the program that are plain texts. */
const texts = {
	host: "SANDBOX_HOST",
	seed: "SANDBOX_SEED",
	pathAlias: "SANDBOX_PATH_ALIAS",
	receiptKey: "SANDBOX_RECEIPT_KEY",
	truthFile: "SANDBOX_TRUTH_FILE",
} as const;

/**
 * Reads the settings of the program; `--seed` wins over its setting. Throws at a port or an argument that
 * means nothing.
 */
export function optionsOf(env: Environment, args: readonly string[] = []): SandboxOptions {
	const { values } = parseArgs({ args: [...args], options: { seed: { type: "string" } } });
	const given = Object.entries(texts).flatMap(([member, name]) => (env[name] ? [[member, env[name]]] : []));
	return {
		truthFile: join(env["LANGO_HOME"] || ".lango", "sandboxes", "mobile-money.jsonl"),
		...Object.fromEntries(given),
		...(values.seed && { seed: values.seed }),
		...(env["SANDBOX_FREQUENCIES"] === "published" && { frequencies: "published" }),
		port: portOf(env, "MOBILE_MONEY_SANDBOX_PORT", defaultPort),
		isControlOpen: env["SANDBOX_CONTROL_OPEN"] === "true",
	};
}
