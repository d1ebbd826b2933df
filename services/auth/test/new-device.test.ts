import { expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { password, setUpSignOn } from "./sign-on.ts";

const signOn = setUpSignOn();
const office = openOffice(signOn);

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const phone =
	"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36";

/** Signs in on a browser, and returns its device cookie. */
async function signIn(email: string, userAgent: string, cookie?: string): Promise<string> {
	const headers = {
		"user-agent": userAgent,
		...(cookie !== undefined && { cookie, origin: "http://localhost:3000" }),
	};
	const answer = await office.call("POST", "/api/v1/auth/login", {
		body: { email, password, tenant_slug: "" },
		headers,
	});
	expect(answer.statusCode).toBe(200);
	return `lango-device=${answer.cookies.find(({ name }) => name === "lango-device")?.value}`;
}
const devicesOf = async (userId: string) =>
	(await office.events("auth.device.added", userId)).map(({ data }) => data["device"]);

test("the first sign-in after registration is on no new device, and each new one is announced once", async () => {
	const { email, userId, tenantId } = await office.found();
	expect(await devicesOf(userId)).toEqual([]);
	const cookie = await signIn(email, firefox);
	expect(await office.events("auth.device.added", userId)).toMatchObject([
		{ tenantid: tenantId, data: { user_id: userId, device: "Firefox, Windows", client_id: "auth-ui" } },
	]);
	await signIn(email, phone);
	// The first device is known by its cookie, although another one was noted since.
	await signIn(email, firefox, cookie);
	expect(await devicesOf(userId)).toEqual(["Firefox, Windows", "Chrome, Android"]);
});

test("concurrent sign-ins on a new device announce it once", async () => {
	const { email, userId } = await office.found();
	await Promise.all(Array.from({ length: 4 }, () => signIn(email, firefox)));
	expect(await devicesOf(userId)).toEqual(["Firefox, Windows"]);
});

test("a program that keeps no cookie is announced once a day", async () => {
	const { email, userId } = await office.found();
	await signIn(email, "curl/8.9.1");
	await signIn(email, "curl/8.9.1");
	expect(await devicesOf(userId)).toEqual(["unknown"]);
	signOn.now.forward(86_400);
	await signIn(email, "curl/8.9.1");
	expect(await devicesOf(userId)).toEqual(["unknown", "unknown"]);
});

test("a wrong password announces nothing, and no address or browser of a sign-in is stored", async () => {
	const { email, userId } = await office.found();
	const body = { email, password: "not the password", tenant_slug: "" };
	const headers = { "user-agent": firefox };
	expect((await office.call("POST", "/api/v1/auth/login", { body, headers })).statusCode).toBe(401);
	expect(await devicesOf(userId)).toEqual([]);
	await signIn(email, firefox);
	const [row] = await signOn.db.query<Record<string, unknown>>(
		"select * from last_devices where user_id = $1",
		[userId],
	);
	expect(Object.keys(row ?? {})).toEqual(["user_id", "likeness", "noted_at"]);
});

test.each([
	["sw", "sw"],
	["sw-KE,sw;q=0.9,en;q=0.8", "sw"],
	["fr,en;q=0.3,sw;q=0.7", "sw"],
	["en-GB", "en"],
	["sw;q=0, en;q=0.1", "en"],
	["fr", undefined],
])("a link asked for with Accept-Language %s states the language %s", async (header, language) => {
	const { email, userId } = await office.found();
	const headers = { "accept-language": header };
	await office.call("POST", "/api/v1/auth/password/reset-request", { body: { email }, headers });
	const [event] = await office.events("auth.password.reset_requested", userId);
	expect(event?.data["locale"]).toBe(language);
});

test("an invitation states the language of the administrator's request", async () => {
	const firm = await office.found();
	const body = { email: "new@firm.example", roles: ["staff"] };
	const asked = { token: firm.token, body, headers: { "accept-language": "sw" } };
	const answer = await office.call("POST", `/api/v1/tenants/${firm.slug}/invitations`, asked);
	const [event] = await office.events("auth.invitation.created", answer.json().id);
	expect(event?.data["locale"]).toBe("sw");
});
