import type { Environment, ServiceDefinition } from "@lango/chassis";
import { explainSettings, readSettings, SettingsError, settingsOf } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import type { PortUse } from "./ports.ts";
import type { SecretMakers } from "./secrets.ts";

/** A demo tenant, as known to other services. */
export type DemoTenant = { slug: string; id: string };

/**
 * A service, and the idempotent function that creates its demo records. That of the sign-on service returns
 * the tenants; those of the other services get them and return none. They run after the start of their
 * service.
 */
export type ServicePart = {
	service: ServiceDefinition;
	/** The other services call it: it starts before them, and they start in parallel. */
	comesFirst?: true;
	demo?: (
		db: Database,
		known: { now: Date; tenants: readonly DemoTenant[]; environment: Environment },
	) => Promise<readonly DemoTenant[] | undefined> | Promise<void>;
};

/** An imitation of something outside the platform, for development. */
export type SandboxPart = {
	/** Also the prefix of its settings. */
	name: string;
	title: string;
	/** Its ports, by their settings, the one of its web pages first. */
	ports: Readonly<Record<string, number>>;
	start: (environment: Environment) => Promise<{ url: string; stop: () => Promise<void> }>;
};

/** Built pages, or a folder of pages that need no building. */
export type PagesPart = {
	name: string;
	title: string;
	port: number;
	folder: string;
	isBuilt: boolean;
	/** A variable with the address of these pages for services, besides `<NAME>_URL`. */
	addressVariable?: string;
	/** The content of /settings.json, which are also the origins that the page may call. */
	settings: (environment: Environment) => Readonly<Record<string, string>>;
};

/** One line of the table printed at the end. */
export type DemoPerson = { who: string; what: string };

/** Everything that `npm start` starts. */
export type Parts = {
	sandboxes: readonly SandboxPart[];
	services: readonly ServicePart[];
	pages: readonly PagesPart[];
	secrets: SecretMakers;
	people: readonly DemoPerson[];
	password: string;
};

/** `sign-in` → `SIGN_IN`. */
export const prefixOf = (name: string): string => name.toUpperCase().replaceAll("-", "_");

/**
 * Returns the environment of the parts: the given variables, and for missing ones addresses derived from the
 * ports, so that a changed port changes every address. Only warnings are logged, to keep the terminal
 * readable.
 */
export function environmentOf(
	{ sandboxes, services, pages }: Parts,
	given: Environment,
): Record<string, string | undefined> {
	const ports = [
		...services.map(({ service }) => portOf(service, given)),
		...pages.map((part) => pagesPort(part, given)),
	];
	const addresses = ports
		.filter(({ port }) => Number.isInteger(port))
		.map(({ name, port }) => [`${prefixOf(name)}_URL`, `http://localhost:${port}`]);
	const others = pages.flatMap((part) => {
		const { addressVariable } = part;
		return addressVariable ? [[addressVariable, `http://localhost:${pagesPort(part, given).port}`]] : [];
	});
	const sandboxPorts = sandboxes.flatMap((part) => {
		const uses = listSandboxPorts(part, given);
		const url = `http://localhost:${uses[0]?.port}`;
		return [...uses.map(({ setting, port }) => [setting, String(port)]), [`${prefixOf(part.name)}_URL`, url]];
	});
	const origins = pages.flatMap((part) => {
		const { port } = pagesPort(part, given);
		return [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
	});
	const defaults = {
		NODE_ENV: "development",
		LOG_LEVEL: "warn",
		// There is no load balancer in front of these processes that must notice the stop.
		LANGO_STOP_NOTICE_MS: "0",
		HTTP_ALLOWED_ORIGINS: origins.join(","),
	};
	const set = Object.entries(given).filter(([, value]) => value !== undefined && value !== "");
	return {
		...defaults,
		...Object.fromEntries([...addresses, ...sandboxPorts, ...others]),
		...Object.fromEntries(set),
	};
}

/** Throws SettingsError if the settings of a service are invalid. */
export function requireSettings({ services }: Parts, environment: Environment): void {
	for (const { service } of services) {
		try {
			readSettings(settingsOf(service), withDatabase(service.name, environment));
		} catch (error) {
			throw error instanceof SettingsError ? explainSettings(service.name, error) : error;
		}
	}
}

/** All ports the parts will listen on. */
export function listPorts({ sandboxes, services, pages }: Parts, environment: Environment): PortUse[] {
	return [
		...sandboxes.flatMap((part) => listSandboxPorts(part, environment)),
		...services.map(({ service }) => portOf(service, environment)),
		...pages.map((part) => pagesPort(part, environment)),
	];
}

/** The address of the database is not known yet when the settings are first checked. */
const withDatabase = (name: string, environment: Environment): Environment => ({
	[`${prefixOf(name)}_DATABASE_URL`]: "postgres://not-known-yet",
	...environment,
});

function portOf(service: ServiceDefinition, environment: Environment): PortUse {
	const { table } = settingsOf(service);
	const variable = `${prefixOf(service.name)}_PORT`;
	const given = environment[variable];
	const port = given ? Number(given) : Number(table["port"]?.default);
	return {
		name: service.name,
		port,
		host: environment[`${prefixOf(service.name)}_HOST`] || "localhost",
		setting: variable,
	};
}

/** Returns the port of a part's pages. Throws if the setting is not a port. */
export const pagesPort = ({ name, port }: PagesPart, environment: Environment): PortUse =>
	readPort({ name, port, host: "localhost", setting: `${prefixOf(name)}_PORT` }, environment);

const listSandboxPorts = ({ name, ports }: SandboxPart, environment: Environment): PortUse[] =>
	Object.entries(ports).map(([setting, port]) =>
		readPort({ name, port, host: "127.0.0.1", setting }, environment),
	);

/** Returns the use with the port of its setting, if it has a value. Throws if that is not a port. */
function readPort(use: PortUse, environment: Environment): PortUse {
	const { setting } = use;
	const port = environment[setting] ? Number(environment[setting]) : use.port;
	if (!Number.isInteger(port) || port < 1 || port > 65_535) {
		throw new Error(`${setting} is a whole number from 1 to 65535 (it is "${environment[setting]}").`);
	}
	return { ...use, port };
}
