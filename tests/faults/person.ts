import { randomBytes } from "node:crypto";

/** The response; status 0 without one. */
export type Answer = { status: number; body: Record<string, unknown>; headers: Headers };
export type Call = {
	method?: string;
	token?: string;
	cookie?: string | undefined;
	body?: object;
	form?: Readonly<Record<string, string>>;
};

const timeoutMs = 12_000;

/** Sends one request; follows no redirect. Without a response in twelve seconds the status is 0. */
export async function call(url: string, { method, token, cookie, body, form }: Call = {}): Promise<Answer> {
	const sent = form === undefined ? body && JSON.stringify(body) : new URLSearchParams(form).toString();
	const type = form === undefined ? "application/json" : "application/x-www-form-urlencoded";
	try {
		const answer = await fetch(url, {
			method: method ?? (sent === undefined ? "GET" : "POST"),
			headers: {
				...(token !== undefined && { authorization: `Bearer ${token}` }),
				...(cookie !== undefined && { cookie }),
				...(sent !== undefined && { "content-type": type }),
			},
			...(sent !== undefined && { body: sent }),
			redirect: "manual",
			signal: AbortSignal.timeout(timeoutMs),
		});
		const text = await answer.text();
		const isJson = answer.headers.get("content-type")?.includes("json") === true;
		return { status: answer.status, body: isJson ? JSON.parse(text) : {}, headers: answer.headers };
	} catch (error) {
		return { status: 0, body: { error: String((error as Error).cause ?? error) }, headers: new Headers() };
	}
}

export const demoPassword = "Karibu-2026!";
export const ownPassword = "Mto-wa-maji-2026!";

/** Signs somebody in by password at `auth`. */
export const signIn = (auth: string, email: string, password = demoPassword): Promise<Answer> =>
	call(`${auth}/api/v1/auth/login`, { body: { email, password } });

export const refresh = (auth: string, refreshToken: string): Promise<Answer> =>
	call(`${auth}/api/v1/auth/refresh`, { body: { refresh_token: refreshToken, client_id: "auth-ui" } });

export const cookieOf = ({ headers }: Answer): string =>
	headers
		.getSetCookie()
		.map((one) => one.split(";")[0] ?? "")
		.join("; ");

const client = {
	client_id: "demo-backend",
	client_secret: "demo-backend-secret",
	redirect_uri: "http://localhost:5555/callback",
};

/** Has a browser that is signed in come back with a code; the code is in the address it is sent to. */
export function authorize(auth: string, cookie: string): Promise<Answer> {
	const { client_id, redirect_uri } = client;
	const state = randomBytes(8).toString("hex");
	const asked = new URLSearchParams({
		response_type: "code",
		client_id,
		redirect_uri,
		scope: "openid",
		state,
	});
	return call(`${auth}/api/v1/authorize?${asked}`, { cookie });
}

export const codeIn = ({ headers }: Answer): string | undefined =>
	new URL(headers.get("location") ?? "about:blank").searchParams.get("code") ?? undefined;

/** Trades a code for tokens. */
export const trade = (auth: string, code: string): Promise<Answer> =>
	call(`${auth}/api/v1/token`, { form: { grant_type: "authorization_code", code, ...client } });

/** Registers a person with a new tenant. */
export function register(auth: string, slug: string): Promise<Answer> {
	const organization = { name: `Clinic ${slug}`, slug, use_case: "services" };
	return call(`${auth}/api/v1/auth/register`, {
		body: {
			...{ name: "Neema Mto", email: `neema@${slug}.example`, password: ownPassword },
			...{ org_action: "create_new", organization },
		},
	});
}

/** The claims of an access token, unchecked. */
export const claimsOf = (token: string): Record<string, unknown> =>
	JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
