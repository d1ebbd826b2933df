import { createHash, randomBytes } from "node:crypto";
import { type Answer, ask } from "./http.ts";
import { client } from "./person.ts";

/** A server and its endpoints. */
export type Target = {
	name: string;
	url: string;
	pid: number;
	authorizePath: string;
	tokenPath: string;
	/** The URLs of several processes of the service; requests go to them in turn. */
	replicas?: readonly string[];
};

/** A person with a browser and a client. They have one request in flight at a time. */
export type User = {
	/** The `login_hint` of requests to the peer, and the e-mail address at the sign-on service. */
	login: string;
	tenantSlug: string;
	cookies: Map<string, string>;
	refreshToken: string;
	accessToken: string;
	idToken: string;
};

/** One request of a flow, measured separately. */
export type Step = (target: Target, user: User) => Promise<void>;

const form = { "content-type": "application/x-www-form-urlencoded" };
const password = "Karibu-2026!";

/** The code and its verifier of a person between the steps `authorize` and `token`. */
const codes = new WeakMap<User, { code: string; verifier: string }>();

const authorize: Step = async (target, user) => {
	const verifier = randomBytes(32).toString("base64url");
	const answer = await browse(user, authorizeAddress(target, user, verifier));
	keepCode(user, { verifier, answer });
};

const trade: Step = async (target, user) => {
	const obtained = codes.get(user);
	if (obtained === undefined) throw new Error("the step token needs a code of the step authorize");
	codes.delete(user);
	await takeTokens(target, user, {
		grant_type: "authorization_code",
		code: obtained.code,
		code_verifier: obtained.verifier,
		redirect_uri: client.redirectUri,
	});
};

/** Sends the refresh token alone, or with a scope, which makes the sign-on service add an ID token. */
const refresh =
	(more: Record<string, string> = {}): Step =>
	async (target, user) => {
		const { refreshToken } = user;
		await takeTokens(target, user, { grant_type: "refresh_token", refresh_token: refreshToken, ...more });
		if (user.refreshToken === refreshToken)
			throw new Error(`${target.name} did not rotate the refresh token`);
	};

const signIn: Step = async (target, user) => {
	const headers = { "content-type": "application/json" };
	const body = JSON.stringify({ email: user.login, password });
	expectStatus(await ask({ url: `${inTurn(target)}/api/v1/auth/login`, method: "POST", headers, body }), 200);
};

const read =
	(pathOf: (user: User) => string): Step =>
	async (target, user) => {
		const headers = { authorization: `Bearer ${user.accessToken}` };
		expectStatus(await ask({ url: `${inTurn(target)}${pathOf(user)}`, headers }), 200);
	};

/** The requests of each flow. */
export const flows = {
	"code flow": { authorize, token: trade },
	refresh: { refresh: refresh() },
	"refresh with an ID token": { refresh: refresh({ scope: "openid profile email" }) },
	"sign-in": { "sign-in": signIn },
	me: { "auth/me": read(() => "/api/v1/auth/me") },
	userinfo: { userinfo: read(() => "/api/v1/userinfo") },
	tenant: { "tenant by slug": read(({ tenantSlug }) => `/api/v1/tenants/by-slug/${tenantSlug}`) },
} as const satisfies Record<string, Record<string, Step>>;
export type Flow = keyof typeof flows;

/** Follows redirects like a browser until the client has its code. This creates the session of the peer. */
export async function signInByRedirects(target: Target, user: User): Promise<void> {
	const verifier = randomBytes(32).toString("base64url");
	let address = authorizeAddress(target, user, verifier);
	for (let hops = 0; hops < 10; hops += 1) {
		const answer = await browse(user, address);
		const next = new URL(answer.headers.location ?? "", address).toString();
		if (next.startsWith(client.redirectUri)) {
			keepCode(user, { verifier, answer });
			return trade(target, user);
		}
		address = next;
	}
	throw new Error(`${target.name} redirects the browser too often`);
}

let turns = 0;

/** The URL of the process for the next request. */
function inTurn({ url, replicas = [url] }: Target): string {
	turns += 1;
	return replicas[turns % replicas.length] ?? url;
}

function authorizeAddress(target: Target, user: User, verifier: string): string {
	const parameters = new URLSearchParams({
		response_type: "code",
		client_id: client.id,
		redirect_uri: client.redirectUri,
		scope: client.scope,
		state: "state-of-the-client",
		nonce: "nonce-of-the-client",
		code_challenge: createHash("sha256").update(verifier).digest("base64url"),
		code_challenge_method: "S256",
		login_hint: user.login,
	});
	return `${inTurn(target)}${target.authorizePath}?${parameters}`;
}

/** Sends a request with the cookies of the browser and keeps new ones. */
async function browse(user: User, url: string): Promise<Answer> {
	const cookie = [...user.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
	const answer = await ask({ url, headers: { cookie } });
	if (answer.status < 300 || answer.status > 399) throw unexpected(answer);
	for (const line of answer.headers["set-cookie"] ?? []) {
		const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
		if (value === "") user.cookies.delete(name);
		else user.cookies.set(name, value);
	}
	return answer;
}

function keepCode(user: User, { verifier, answer }: { verifier: string; answer: Answer }): void {
	const code = new URL(answer.headers.location ?? "", "http://nowhere").searchParams.get("code");
	if (code === null) throw unexpected(answer);
	codes.set(user, { code, verifier });
}

async function takeTokens(target: Target, user: User, members: Record<string, string>): Promise<void> {
	const body = new URLSearchParams({ ...members, client_id: client.id }).toString();
	const url = `${inTurn(target)}${target.tokenPath}`;
	const answer = await ask({ url, method: "POST", headers: form, body });
	expectStatus(answer, 200);
	const tokens = JSON.parse(answer.text) as Record<string, string | undefined>;
	const { access_token: accessToken, id_token: idToken, refresh_token: refreshToken } = tokens;
	if (accessToken === undefined || refreshToken === undefined) throw unexpected(answer);
	if (idToken === undefined && (members["code"] ?? members["scope"]) !== undefined) throw unexpected(answer);
	Object.assign(user, { accessToken, idToken: idToken ?? user.idToken, refreshToken });
}

function expectStatus(answer: Answer, status: number): void {
	if (answer.status !== status) throw unexpected(answer);
}

const unexpected = ({ status, headers, text }: Answer) =>
	new Error(`a wrong response ends the run: ${status} ${headers.location ?? text.slice(0, 300)}`);
