import type { Environment, ServiceDefinition } from "@lango/chassis";
import { explainSettings, readSettings, SettingsError, settingsOf } from "@lango/chassis";
import type { Database } from "@lango/postgres";
import type { PortUse } from "./ports.ts";
import type { SecretMakers } from "./secrets.ts";

/** A tenant of the demonstration, as far as other services know it. */
export type DemoTenant = { slug: string; id: string };

/**
 * A service that comes up, and what makes the demo records it starts with (doing it again changes nothing).
 * The sign-on service's makes the tenants; those of the services after it are told of them and return none.
 * Their service runs by then.
 */
export type ServicePart = {
	service: ServiceDefinition;
	/** The others ask it: it comes up before them, they all at the same time. */
	comesFirst?: true;
	demo?: (
		db: Database,
		known: { now: Date; tenants: readonly DemoTenant[]; environment: Environment },
	) => Promise<readonly DemoTenant[] | undefined> | Promise<void>;
};

/** Built pages, or a folder of pages that need no building. */
export type PagesPart = {
	name: string;
	title: string;
	port: number;
	folder: string;
	isBuilt: boolean;
	/** A variable by which a service knows where these pages are, besides `<NAME>_URL`. */
	addressVariable?: string;
	/** What the page reads from /settings.json, and at the same time the origins it may call. */
	settings: (environment: Environment) => Readonly<Record<string, string>>;
};

/** One line of the table printed at the end. */
export type DemoPerson = { who: string; what: string };

/** Everything `npm start` brings up. */
export type Parts = {
	services: readonly ServicePart[];
	pages: readonly PagesPart[];
	secrets: SecretMakers;
	people: readonly DemoPerson[];
	password: string;
};

/** `sign-in` → `SIGN_IN`. */
export const prefixOf = (name: string): string => name.toUpperCase().replaceAll("-", "_");

/**
 * The environment the parts start with: what was given, and for what was not, addresses that follow from the
 * ports, so that moving a port moves every mention of it. Only warnings are logged, the terminal is for
 * people.
 */
export function environmentOf(
	{ services, pages }: Parts,
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
	const origins = pages.flatMap((part) => {
		const { port } = pagesPort(part, given);
		return [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
	});
	const defaults = {
		NODE_ENV: "development",
		LOG_LEVEL: "warn",
		AUTH_SHOW_LINKS: "true",
		// Nobody stands before these processes and has to be told that they stop.
		LANGO_STOP_NOTICE_MS: "0",
		HTTP_ALLOWED_ORIGINS: origins.join(","),
	};
	const set = Object.entries(given).filter(([, value]) => value !== undefined && value !== "");
	return { ...defaults, ...Object.fromEntries([...addresses, ...others]), ...Object.fromEntries(set) };
}

/** Throws SettingsError when the settings of a service are unusable. */
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
export function listPorts({ services, pages }: Parts, environment: Environment): PortUse[] {
	return [
		...services.map(({ service }) => portOf(service, environment)),
		...pages.map((part) => pagesPort(part, environment)),
	];
}

/** Where the database will be is not known yet when the settings are first looked at. */
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

/** The port of a part's pages. Throws when the setting is not a port. */
export function pagesPort({ name, port }: PagesPart, environment: Environment): PortUse {
	const setting = `${prefixOf(name)}_PORT`;
	const chosen = environment[setting] ? Number(environment[setting]) : port;
	if (!Number.isInteger(chosen) || chosen < 1 || chosen > 65_535) {
		throw new Error(`${setting} is a whole number from 1 to 65535 (it is "${environment[setting]}").`);
	}
	return { name, port: chosen, host: "localhost", setting };
}
