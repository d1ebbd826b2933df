import type { Issuer } from "./issuer.ts";

/** Where the sign-in pages are; nothing listens there, this browser fills their form in by itself. */
const pages = "http://localhost:3000";
const password = "Karibu-2026!";
export const someone = "admin@uhai.example";
export const somebodyElse = "owner@kahawa.example";

/**
 * A browser as far as the issuer sees one: it keeps its cookies, says where it comes from, and follows
 * nothing by itself.
 */
export type Browser = {
	get(url: string | URL): Promise<Response>;
	/** Posts a form, as a page does. */
	post(url: string | URL, members: Record<string, string>): Promise<Response>;
	signIn(email?: string): Promise<Response>;
	/**
	 * Opens an authorization request and does what a person would: signs in where it is sent to the sign-in
	 * page, and continues from there. Answers where the browser comes out, a client's address, and how often it
	 * had to sign in.
	 */
	authorize(url: string | URL, email?: string): Promise<{ callback: URL; signIns: number }>;
};

export function openBrowser(issuer: Pick<Issuer, "url">): Browser {
	const cookies = new Map<string, string>();
	const keep = (response: Response) => {
		for (const set of response.headers.getSetCookie()) {
			const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
			if (value === "") cookies.delete(name);
			else cookies.set(name, value);
		}
		return response;
	};
	const own = (): Record<string, string> =>
		cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
	const browser: Browser = {
		get: async (url) => keep(await fetch(url, { headers: own(), redirect: "manual" })),
		post: async (url, members) =>
			keep(
				await fetch(url, {
					method: "POST",
					body: new URLSearchParams(members),
					headers: { ...own(), origin: new URL(issuer.url).origin },
					redirect: "manual",
				}),
			),
		signIn: async (email = someone) => {
			const response = await fetch(`${issuer.url}/api/v1/auth/login`, {
				method: "POST",
				headers: { ...own(), "content-type": "application/json", origin: pages },
				body: JSON.stringify({ email, password, tenant_slug: "" }),
			});
			if (!response.ok) throw new Error(`not signed in: ${response.status} ${await response.text()}`);
			return keep(response);
		},
		async authorize(url, email) {
			let at = locationOf(await browser.get(url));
			let signIns = 0;
			while (at.origin === pages && at.pathname === "/login" && signIns < 3) {
				signIns += 1;
				await browser.signIn(email);
				at = locationOf(await browser.get(at.searchParams.get("return_to") ?? ""));
			}
			return { callback: at, signIns };
		},
	};
	return browser;
}

/** Where a response sends the browser. Throws when it sends it nowhere. */
export function locationOf(response: Response): URL {
	const to = response.headers.get("location");
	if (to === null) throw new Error(`status ${response.status}, and the browser is sent nowhere`);
	return new URL(to);
}
