import { randomBytes } from "node:crypto";
import { mintApiKey } from "@lango/tokens";
import { prefixOf } from "./parts.ts";

type Values = Record<string, string>;

/** What deploy/compose.yaml reads from deploy/.env: the domain and new random secrets, by variable. */
export function secretsForCompose(services: readonly string[], domain: string): Values {
	return { LANGO_DOMAIN: domain, ...passwords(services), ...keys() };
}

/** What the Helm chart reads from its Secret: new random secrets, those of databases as addresses that lead to `database` (host:port). */
export function secretsForKubernetes(services: readonly string[], database: string): Values {
	const given = passwords(services);
	const at = (user: string, password: string | undefined, name: string) =>
		`postgres://${user}:${password}@${database}/${name}`;
	const each = services.flatMap((name) => {
		const prefix = prefixOf(name);
		return [
			[`${prefix}_DATABASE_URL`, at(`${name}_app`, given[`${prefix}_APP_PASSWORD`], name)],
			[`${prefix}_MIGRATION_DATABASE_URL`, at(`${name}_owner`, given[`${prefix}_OWNER_PASSWORD`], name)],
		];
	});
	const admin = at("postgres", given["POSTGRES_PASSWORD"], "postgres");
	return { DATABASE_URL: admin, ...Object.fromEntries(each), ...keys() };
}

function keys(): Values {
	return {
		SUBSCRIPTIONS_API_KEY: mintApiKey().text,
		AUTH_API_KEY: mintApiKey().text,
		METRICS_TOKEN: randomBytes(24).toString("hex"),
		LANGO_KEY_ENCRYPTION_KEYS: `${new Date().toISOString().slice(0, 10)}:${randomBytes(32).toString("base64")}`,
	};
}

function passwords(services: readonly string[]): Values {
	const names = services.flatMap((name) =>
		["OWNER", "APP"].map((role) => `${prefixOf(name)}_${role}_PASSWORD`),
	);
	return Object.fromEntries(
		["POSTGRES_PASSWORD", ...names].map((name) => [name, randomBytes(24).toString("hex")]),
	);
}
