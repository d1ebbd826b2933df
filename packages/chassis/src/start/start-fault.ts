import { isUnavailable } from "@lango/postgres";
import { UnsealFailed } from "@lango/tokens";
import type { SettingsError } from "../settings/settings.ts";

/**
 * An error of the start for the operator. It names the service, the setting and the remedy, and needs no
 * stack.
 */
export class StartFault extends Error {
	constructor(message: string, cause?: unknown) {
		super(message, { cause });
		this.name = "StartFault";
	}
}

/** The service, the setting of the address that failed, and its value. */
type Place = { service: string; setting: string; url: string | undefined };

/**
 * Throws StartFault for an invalid database address. The driver would read it as a host name and retry
 * until the start times out.
 */
export function requireDatabaseAddress({ service, setting, url }: Place): void {
	if (readAddress(url) !== undefined) return;
	throw new StartFault(
		`${service}: ${setting} is not an address. Set it to postgres://user:password@host:port/database.`,
	);
}

/**
 * Explains a failure of the first work on a database: unreachable, refused by password or privilege, or
 * not found. Other errors are bugs and are returned unchanged. The explanation never contains a password.
 */
export function explainDatabase(error: unknown, { service, setting, url }: Place): unknown {
	if (!(error instanceof Error) || error instanceof StartFault) return error;
	const where = readAddress(url);
	const code = "code" in error ? String(error.code) : "";
	const remedy = remedies[code];
	if (remedy !== undefined)
		return new StartFault(
			`${service}: the database at ${where} refuses: ${error.message}. ${remedy(setting, service)}`,
			error,
		);
	if (!isUnavailable(error)) return error;
	const reason = error.message || code;
	return new StartFault(
		`${service}: the database at ${where} cannot be reached (${reason}). Start it, or correct the address in ${setting}.`,
		error,
	);
}

/** By SQLSTATE. */
const remedies: Record<string, ((setting: string, service: string) => string) | undefined> = {
	"28P01": (setting) => `Correct the user and the password in ${setting}.`,
	"28000": (setting) => `Correct the user in ${setting}, or admit it in pg_hba.conf.`,
	"3D000": (setting, service) =>
		`Create it (node tools/prepare-databases.ts ${service}), or correct the name in ${setting}.`,
	"42501": (setting) => `Grant the right, or use another user in ${setting}.`,
};

function readAddress(url: string | undefined): string | undefined {
	if (url === undefined || !URL.canParse(url)) return undefined;
	const { protocol, host, pathname } = new URL(url);
	return /^postgres(ql)?:$/.test(protocol) ? `${host}${pathname}` : undefined;
}

/** Adds the service and the remedy to invalid settings. */
export const explainSettings = (service: string, fault: SettingsError): StartFault =>
	new StartFault(
		`${service}: ${fault.message}\nSet or correct them in the environment or in .env (.env.example lists all settings).`,
		fault,
	);

/** Explains why a service cannot decrypt its signing keys; other errors are returned unchanged. */
export function explainSealedKeys(
	error: unknown,
	{ service, setting }: { service: string; setting: string },
): unknown {
	if (!(error instanceof UnsealFailed)) return error;
	return new StartFault(
		`${service}: the signing keys in the database cannot be decrypted: ${error.message}. Set ${setting} to the newest key, followed by every older key that is still used.`,
		error,
	);
}

/** Explains why a service cannot listen; other errors are returned unchanged. */
export function explainListen(
	error: unknown,
	{ service, port, host }: { service: string; port: number; host: string },
): unknown {
	const { code = "" } = error as NodeJS.ErrnoException;
	const prefix = service.toUpperCase();
	const said: Record<string, string | undefined> = {
		EADDRINUSE: `port ${port} is in use. Stop what uses it, or set ${prefix}_PORT to another.`,
		EACCES: `this user may not listen on port ${port}. Set ${prefix}_PORT to one above 1023.`,
		EADDRNOTAVAIL: `this machine does not have the address ${host}. Correct ${prefix}_HOST.`,
		ENOTFOUND: `the name ${host} is not known. Correct ${prefix}_HOST.`,
	};
	return said[code] === undefined ? error : new StartFault(`${service}: ${said[code]}`, error);
}

/** Explains a folder or file that cannot be written; other errors are returned unchanged. */
export function explainFolder(
	error: unknown,
	{ folder, setting }: { folder: string; setting: string },
): unknown {
	const { code = "" } = error as NodeJS.ErrnoException;
	const reasons: Record<string, string | undefined> = {
		EACCES: "this user has no right to",
		EPERM: "this user has no right to",
		EROFS: "the file system is read-only",
		ENOSPC: "the disk is full",
		ENOTDIR: "a part of the path is a file",
		EEXIST: "a file of that name is there",
	};
	if (reasons[code] === undefined) return error;
	return new StartFault(
		`Lango cannot write to ${folder}: ${reasons[code]} (${code}). Make the folder writable, or set ${setting} to another one.`,
		error,
	);
}
