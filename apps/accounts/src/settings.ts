/** What the pages are told when they start, from /settings.json. */
export type Settings = {
	/** The sign-on service, without a slash at the end, for example "http://localhost:4000". */
	authUrl: string;
};

const timeoutMilliseconds = 10_000;

/** Reads the settings this page was served with. Throws when they cannot be had or name no sign-on service. */
export async function readSettings(): Promise<Settings> {
	const answer = await fetch("/settings.json", { signal: AbortSignal.timeout(timeoutMilliseconds) });
	if (!answer.ok) throw new Error(`/settings.json answered ${answer.status}.`);
	const { authUrl }: { authUrl?: unknown } = await answer.json();
	const url = typeof authUrl === "string" ? URL.parse(authUrl) : null;
	if (url === null) throw new Error("/settings.json: authUrl is not an address.");
	return { authUrl: url.href.replace(/\/+$/, "") };
}
