import { randomBytes } from "node:crypto";
import type { ServiceDefinition } from "@lango/chassis";
import { mintApiKey } from "@lango/tokens";
import { prefixOf } from "./parts.ts";
import { acceptedBy, listGivenKeys } from "./service-keys.ts";

type Values = Record<string, string>;

/** The variables of deploy/.env for deploy/compose.yaml: the domain and new random secrets. */
export function secretsForCompose(services: readonly ServiceDefinition[], domain: string): Values {
	return { LANGO_DOMAIN: domain, ...passwords(namesOf(services)), ...keys(services) };
}

/**
 * The entries of the Helm chart's Secret: new random secrets, those of databases as addresses at `database`
 * (host:port).
 */
export function secretsForKubernetes(services: readonly ServiceDefinition[], database: string): Values {
	const names = namesOf(services);
	const given = passwords(names);
	const at = (user: string, password: string | undefined, name: string) =>
		`postgres://${user}:${password}@${database}/${name}`;
	const each = names.flatMap((name) => {
		const prefix = prefixOf(name);
		return [
			[`${prefix}_DATABASE_URL`, at(`${name}_app`, given[`${prefix}_APP_PASSWORD`], name)],
			[`${prefix}_MIGRATION_DATABASE_URL`, at(`${name}_owner`, given[`${prefix}_OWNER_PASSWORD`], name)],
		];
	});
	const admin = at("postgres", given["POSTGRES_PASSWORD"], "postgres");
	return { DATABASE_URL: admin, ...Object.fromEntries(each), ...keys(services) };
}

/** A key for each caller and purpose, the lists of accepted keys, and the key-encryption keys. */
function keys(services: readonly ServiceDefinition[]): Values {
	const given = listGivenKeys(services);
	const made = Object.fromEntries(given.map(({ variable }) => [variable, mintApiKey().text]));
	return {
		...made,
		...acceptedBy(given, made),
		METRICS_TOKEN: randomBytes(24).toString("hex"),
		LANGO_KEY_ENCRYPTION_KEYS: keyEncryptionKey(),
		POS_KEY_ENCRYPTION_KEYS: keyEncryptionKey(),
		NOTIFICATIONS_KEY_ENCRYPTION_KEYS: keyEncryptionKey(),
		NOTIFICATIONS_API_KEY: mintApiKey().text,
		TREASURY_KEY_ENCRYPTION_KEYS: keyEncryptionKey(),
	};
}

const keyEncryptionKey = () =>
	`${new Date().toISOString().slice(0, 10)}:${randomBytes(32).toString("base64")}`;

const namesOf = (services: readonly ServiceDefinition[]) => services.map(({ name }) => name);

function passwords(services: readonly string[]): Values {
	const names = services.flatMap((name) =>
		["OWNER", "APP"].map((role) => `${prefixOf(name)}_${role}_PASSWORD`),
	);
	return Object.fromEntries(
		["POSTGRES_PASSWORD", ...names].map((name) => [name, randomBytes(24).toString("hex")]),
	);
}
