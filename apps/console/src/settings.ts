/** The services that have roles, people and an audit log of their own, by product id. */
const serviceNames = [
	"hospital",
	"pos",
	"ordering",
	"inventory",
	"logistics",
	"marketflow",
	"projects",
] as const;
type ServiceName = (typeof serviceNames)[number];

/** Where everything is, from /settings.json: addresses without a slash at the end, for example "http://localhost:4000". */
export type Settings = {
	/** The sign-on service. */
	authUrl: string;
	/** The sign-in pages, where a person's own profile is. */
	accountsUrl: string;
	subscriptionsUrl: string;
	/** The domain services this installation has. */
	services: Readonly<Partial<Record<ServiceName, string>>>;
	/** The language for people whose browser asks for none the pages have. */
	language: string | undefined;
};

const timeoutMilliseconds = 10_000;

/** Reads the settings this page was served with. Throws an Error when they cannot be had or an address is none. */
export async function readSettings(): Promise<Settings> {
	const answer = await fetch("/settings.json", { signal: AbortSignal.timeout(timeoutMilliseconds) });
	if (!answer.ok) throw new Error(`/settings.json answered ${answer.status}.`);
	return toSettings(await answer.json());
}

/** Checks what /settings.json holds. Throws an Error that names what is wrong. */
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
