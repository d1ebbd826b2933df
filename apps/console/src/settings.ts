/** The services with their own roles, users and audit log, by product id. */
const serviceNames = [
	"hospital",
	"pos",
	"ordering",
	"inventory",
	"logistics",
	"marketflow",
	"notifications",
	"projects",
	"treasury",
] as const;
type ServiceName = (typeof serviceNames)[number];

/** The addresses from /settings.json, without a slash at the end, for example "http://localhost:4000". */
export type Settings = {
	/** The sign-on service. */
	authUrl: string;
	/** The sign-in pages, which also have the user's profile. */
	accountsUrl: string;
	subscriptionsUrl: string;
	/** The domain services of this installation. */
	services: Readonly<Partial<Record<ServiceName, string>>>;
	/** The language if the browser prefers none of the supported languages. */
	language: string | undefined;
};

const timeoutMilliseconds = 10_000;

/** Fetches the settings. Throws an Error if they cannot be fetched or an address is not valid. */
export async function readSettings(): Promise<Settings> {
	const answer = await fetch("/settings.json", { signal: AbortSignal.timeout(timeoutMilliseconds) });
	if (!answer.ok) throw new Error(`/settings.json answered ${answer.status}.`);
	return toSettings(await answer.json());
}

/** Validates the content of /settings.json. Throws an Error that names the invalid setting. */
export function toSettings(read: Readonly<Record<string, unknown>>): Settings {
	const addressOf = (name: string) => toAddress(name, read[name]);
	const here = serviceNames.filter((name) => Boolean(read[`${name}Url`]));
	return {
		authUrl: addressOf("authUrl"),
		accountsUrl: addressOf("accountsUrl"),
		subscriptionsUrl: addressOf("subscriptionsUrl"),
		services: Object.fromEntries(here.map((name) => [name, addressOf(`${name}Url`)])),
		language: typeof read["language"] === "string" ? read["language"] : undefined,
	};
}

function toAddress(name: string, value: unknown): string {
	const url = typeof value === "string" ? URL.parse(value) : null;
	if (url === null) throw new Error(`/settings.json: ${name} is not an address.`);
	return url.href.replace(/\/+$/, "");
}
