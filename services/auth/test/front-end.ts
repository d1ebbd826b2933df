import {
	type Client,
	type ClientOptions,
	type ClientState,
	createClient,
	memoryStorage,
} from "@lango/client";
import { findFreePort } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { type Browser, openBrowser, type SignOn, startSignOn } from "./sign-on.ts";

/** The sign-on service listening, as front ends reach it. */
export type ListeningSignOn = SignOn & { url: string };

/** Starts the listening service before the tests of the calling file, and closes it after them. */
export const setUpListeningSignOn = (): ListeningSignOn => setUp(listenSignOn);

async function listenSignOn(): Promise<ListeningSignOn> {
	const port = await findFreePort();
	const url = `http://127.0.0.1:${port}`;
	const signOn = await startSignOn({ AUTH_URL: url, CONSOLE_UI_URL: "http://localhost:3001" });
	await signOn.app.listen({ port, host: "127.0.0.1" });
	return { ...signOn, url };
}

/** A tab with a front end in it: where it is, where it was sent, what it asked. */
export type Tab = {
	client: Client;
	/** Addresses the page was left for. */
	left: string[];
	/** Requests that went out, as `METHOD path`. */
	asked: string[];
	headersOf(path: string): Headers[];
};

/** Opens the suite's console in a tab; waiting takes no time there and moves the service's clock on. */
export function openTab(signOn: ListeningSignOn, options: Partial<ClientOptions> = {}): Tab {
	const left: string[] = [];
	const requests: Array<{ line: string; path: string; headers: Headers }> = [];
	const client = createClient({
		authUrl: signOn.url,
		clientId: "console-ui",
		tab: memoryStorage(),
		browser: memoryStorage(),
		pageUrl: () => "http://localhost:3001/uhai/people?page=2",
		navigate: (address) => void left.push(address),
		now: () => signOn.now.at.getTime(),
		wait: (milliseconds) => {
			signOn.now.forward(milliseconds / 1_000);
			return new Promise((resolve) => setTimeout(resolve, 5));
		},
		channel: undefined,
		locks: undefined,
		fetch: (address, init) => {
			const { pathname } = new URL(String(address));
			const headers = new Headers(init?.headers);
			requests.push({ line: `${init?.method} ${pathname}`, path: pathname, headers });
			return fetch(address, init);
		},
		...options,
	});
	return {
		client,
		left,
		get asked() {
			return requests.map(({ line }) => line);
		},
		headersOf: (path) => requests.filter((one) => one.path === path).map(({ headers }) => headers),
	};
}

/**
 * Follows the redirect to the sign-on service with a browser session, and returns the address of the
 * redirect back.
 */
export async function goThrough(browser: Browser, { left }: Tab): Promise<string> {
	const address = new URL(left.at(-1) ?? "");
	const answer = await browser.get(address.pathname + address.search);
	return String(answer.headers.location);
}

/** Signs somebody in through the whole flow, and waits until they are where they get. */
export async function signInto(signOn: ListeningSignOn, tab: Tab, email: string): Promise<ClientState> {
	const browser = openBrowser(signOn.app);
	await browser.signIn(email);
	await tab.client.signIn();
	await tab.client.completeSignIn(await goThrough(browser, tab));
	return settled(tab.client);
}

/** The state once it is one that waits for somebody. */
export function settled(client: Client): Promise<ClientState> {
	return reach(client, ({ status }) => !["loading", "syncing"].includes(status));
}

/** The state once it is as it should be. */
export function reach(client: Client, isThere: (state: ClientState) => boolean): Promise<ClientState> {
	return new Promise((resolve) => {
		const look = () => {
			if (!isThere(client.getState())) return;
			end();
			resolve(client.getState());
		};
		const end = client.subscribe(look);
		look();
	});
}
