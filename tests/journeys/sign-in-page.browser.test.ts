import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityFaults, openWindow, untilKept } from "./browser.ts";
import { type Answer, signedIn } from "./fake-sign-on.ts";
import { sharedBrowser } from "./shared-platform.ts";
import {
	email,
	enter,
	focused,
	openSignInPages,
	password,
	refused,
	type SignInPages,
	submit,
} from "./sign-in-visit.ts";

let accounts: SignInPages;
beforeAll(async () => {
	accounts = await openSignInPages();
});
afterAll(() => accounts?.close());
const visit: SignInPages["visit"] = (...args) => accounts.visit(...args);

const authorizeUrl = (more = "") =>
	`${accounts.signOn.url}/api/v1/authorize?response_type=code&client_id=cafe-website&state=00ff${more}`;
const loginPath = (parameters: Record<string, string>) => `/login?${new URLSearchParams(parameters)}`;

test("without a tenant in the address an empty slug is sent, never a default one", () =>
	visit("/login", async (page) => {
		await enter(page);
		await page.getByText("Signed in as admin@uhai.example.").waitFor();
		expect(accounts.takeLogins().map(({ method, body }) => ({ method, body }))).toEqual([
			{ method: "POST", body: { email: "admin@uhai.example", password: "Karibu-2026!", tenant_slug: "" } },
		]);
	}));

test("a tenant in the address is shown by its name and sent by its slug", () =>
	visit("/login?tenant=uhai", async (page) => {
		await page.getByRole("heading", { name: "Sign in to Uhai Hospital" }).waitFor();
		expect(await page.title()).toBe("Sign in to Uhai Hospital · Lango");
		await enter(page);
		await page.getByText("You are signed in").waitFor();
		expect(accounts.takeLogins()[0]?.body).toMatchObject({ tenant_slug: "uhai" });
	}));

test("after signing in the browser loads return_to in full, with the session cookie", async () => {
	const returnTo = authorizeUrl("&redirect_uri=http%3A%2F%2Flocalhost%3A3002%2Fauth%2Fcallback&tenant=uhai");
	await visit(loginPath({ return_to: returnTo, tenant: "uhai" }), async (page) => {
		await enter(page);
		await page.getByRole("heading", { name: "Back at the application" }).waitFor();
		expect(page.url()).toBe(returnTo);
		const arrived = accounts.signOn.takeReceived().find(({ path }) => path === "/api/v1/authorize");
		expect(arrived?.cookie).toBe("lango=a-session");
	});
});

test("going back after that leads to where the person came from, and not to the form", () =>
	visit("/register", async (page) => {
		await page.goto(`${accounts.pages.url}${loginPath({ return_to: authorizeUrl() })}`);
		await enter(page);
		await page.getByRole("heading", { name: "Back at the application" }).waitFor();
		await page.goBack();
		await page.waitForURL(`${accounts.pages.url}/register`);
	}));

test("the time to wait is counted down, and its end is said", () =>
	visit("/login", async (page) => {
		await page.clock.install();
		accounts.signOn.login(refused(429, { code: "too_many_attempts" }, { "retry-after": "600" }));
		await enter(page);
		const timer = page.getByRole("timer");
		await timer.getByText(/Try again in (10|9) minutes\./).waitFor();
		await page.clock.runFor(120_000);
		await timer.getByText(/Try again in [78] minutes\./).waitFor();
		expect(await timer.getAttribute("aria-live")).toBe("off");
		await page.clock.runFor(435_000);
		await timer.getByText(/Try again in \d+ seconds\./).waitFor();
		await page.clock.runFor(45_000);
		await timer.getByText("You can try again now.").waitFor();
		expect(await timer.getAttribute("aria-live")).toBe("polite");
	}));

test("the application's login_hint is filled in", () =>
	visit(loginPath({ return_to: authorizeUrl("&login_hint=nurse%40uhai.example") }), async (page) => {
		await email(page).waitFor();
		expect(await email(page).inputValue()).toBe("nurse@uhai.example");
	}));

test("no token is kept anywhere a script can read", () =>
	visit("/login", async (page) => {
		await enter(page);
		await page.getByText("You are signed in").waitFor();
		const kept = await page.evaluate(
			"JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])",
		);
		expect(kept).not.toContain("token");
	}));

test("signing out goes through the sign-on service, and the way back does not claim a session", () =>
	visit("/login", async (page) => {
		await enter(page);
		await page.getByRole("button", { name: "Sign out" }).click();
		await page.getByRole("heading", { name: "Signed out at the service" }).waitFor();
		const signedOut = new URL(page.url()).searchParams.get("post_logout_redirect_uri");
		expect(signedOut).toBe(`${accounts.pages.url}/signed-out`);
		await page.goBack();
		await page.getByRole("heading", { name: "You are signed out" }).waitFor();
	}));

test("opening /signed-in without a session asks to sign in", () =>
	visit("/signed-in", async (page) => {
		await submit(page).waitFor();
		expect(page.url()).toBe(`${accounts.pages.url}/login`);
	}));

const invalidEmail = { code: "invalid_input", field: "email" };

const refusals: { what: string; answer: Answer; says: string; focus: string }[] = [
	{
		what: "a wrong password",
		answer: refused(401, { code: "invalid_credentials" }),
		says: "or the password is wrong. Check both",
		focus: "password",
	},
	{
		what: "an invalid e-mail address",
		answer: refused(400, invalidEmail),
		says: "for example amina@example.com",
		focus: "email",
	},
	{
		what: "too many attempts",
		answer: refused(429, { code: "rate_limited" }, { "retry-after": "90" }),
		says: "Too many attempts. Try again in 2 minutes.",
		focus: "form-error",
	},
	{
		what: "a full queue",
		answer: refused(503, { code: "unavailable" }, { "retry-after": "3" }),
		says: "Sign-in is busy at the moment.",
		focus: "form-error",
	},
	{
		what: "an inactive tenant",
		answer: refused(403, { code: "tenant_inactive" }),
		says: "Ask its administrator",
		focus: "form-error",
	},
	{ what: "a lost connection", answer: "hang up", says: "Check your connection", focus: "form-error" },
	{
		what: "a fault of the service",
		answer: refused(500, { code: "internal" }),
		says: "give support this reference: r-1234",
		focus: "form-error",
	},
	{
		what: "an answer that is not JSON",
		answer: { status: 502, body: "<html>" },
		says: "Something went wrong on our side",
		focus: "form-error",
	},
];

test.each(refusals)(
	"$what is announced with what to do, and the focus goes there",
	({ answer, says, focus }) =>
		visit("/login", async (page) => {
			accounts.signOn.login(answer);
			await enter(page);
			await page.getByRole("alert").getByText(says).waitFor();
			await expect.poll(() => focused(page)).toBe(focus);
			expect(await email(page).inputValue()).toBe("admin@uhai.example");
			expect(await submit(page).isEnabled()).toBe(true);
			expect(await password(page).getAttribute("aria-invalid")).toBe(String(focus === "password"));

			accounts.signOn.login(signedIn);
			await submit(page).click();
			await page.getByText("You are signed in").waitFor();
		}),
);

test("a second wrong password is announced like the first", () =>
	visit("/login", async (page) => {
		accounts.signOn.login(refused(401, { code: "invalid_credentials" }));
		await enter(page, "first");
		await page.getByRole("alert").getByText("password is wrong").waitFor();
		// The first error moves the focus, too, and may do so after it is seen.
		await expect.poll(() => focused(page)).toBe("password");
		await email(page).focus();
		await submit(page).click();
		await expect.poll(() => focused(page)).toBe("password");
		expect(accounts.takeLogins()).toHaveLength(2);
	}));

test.each([
	{ typed: "", word: "", says: "Enter your e-mail address.", field: "email" },
	{ typed: "admin@uhai.example", word: "", says: "Enter your password.", field: "password" },
	{ typed: " ", word: "Karibu-2026!", says: "Enter your e-mail address.", field: "email" },
])("with '$typed' and '$word' nothing is sent and the empty field is pointed to", (entered) =>
	visit("/login", async (page) => {
		await email(page).fill(entered.typed);
		await password(page).fill(entered.word);
		await submit(page).click();
		await page.getByRole("alert").getByText(entered.says).waitFor();
		expect(await focused(page)).toBe(entered.field);
		expect(accounts.takeLogins()).toEqual([]);
	}),
);

test("the button rests while a sign-in is in progress, and Enter does not send it twice", () =>
	visit("/login", async (page) => {
		accounts.signOn.login("nothing");
		await enter(page);
		const busy = page.getByRole("button", { name: "Signing in…" });
		await busy.waitFor();
		expect(await busy.isDisabled()).toBe(true);
		await password(page).press("Enter");
		await page.waitForTimeout(200);
		expect(accounts.takeLogins()).toHaveLength(1);
	}));

test.each(["//evil.example", "https://evil.example/", "JavaScript:alert(1)", "/\\evil.example"])(
	"a link that would lead to %s is refused before anything can be typed",
	(returnTo) =>
		visit(loginPath({ return_to: returnTo }), async (page) => {
			await page.getByRole("heading", { name: "This sign-in link cannot be used" }).waitFor();
			expect(await page.locator("input").count()).toBe(0);
			await page.getByRole("link", { name: "Sign in without this link" }).click();
			await submit(page).waitFor();
			expect(page.url()).toBe(`${accounts.pages.url}/login`);
		}),
);

test.each(["nowhere", "NOT A SLUG", "123"])("the unknown tenant %j is said, with a way on", (slug) =>
	visit(loginPath({ tenant: slug }), async (page) => {
		await page.getByText(`There is no organisation “${slug}”.`).waitFor();
		await page.getByRole("link", { name: "Sign in without an organisation" }).click();
		await submit(page).waitFor();
	}),
);

test("an unknown tenant of an application has no way on that would fail there", () =>
	visit(loginPath({ tenant: "nowhere", return_to: authorizeUrl("&tenant=nowhere") }), async (page) => {
		await page.getByText("There is no organisation “nowhere”.").waitFor();
		expect(await page.getByRole("link").count()).toBe(0);
	}));

test("an address these pages do not have says so and leads to the sign-in", () =>
	visit("/no/such/page", async (page) => {
		await page.getByRole("heading", { name: "Page not found" }).waitFor();
		await page.getByRole("link", { name: "Go to sign-in" }).click();
		await submit(page).waitFor();
	}));

test("without its settings the page says that it could not start", async () => {
	const context = await openWindow(await sharedBrowser());
	try {
		const page = await context.newPage();
		await page.route("**/settings.json", (route) => route.fulfill({ status: 500 }));
		await page.goto(`${accounts.pages.url}/login`);
		await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
		await page.unroute("**/settings.json");
		await page.getByRole("button", { name: "Reload" }).click();
		await submit(page).waitFor();
	} finally {
		await context.close();
	}
});

test("without a network the page says so, also after a reload, and continues by itself", () =>
	visit(
		"/login",
		async (page) => {
			await submit(page).waitFor();
			await untilKept(page);
			await page.context().setOffline(true);
			await page.getByText("You are offline").waitFor();
			await page.getByRole("link", { name: "Forgot your password?" }).click();
			await page.waitForURL("**/forgot-password");
			await page.reload();
			await page.getByRole("heading", { name: "You are offline" }).waitFor();
			expect(await accessibilityFaults(page)).toEqual([]);
			await page.context().setOffline(false);
			await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
		},
		{ isKept: true },
	));

test("a password that is shown is hidden again when it is sent", () =>
	visit("/login", async (page) => {
		accounts.signOn.login("nothing");
		await page.getByRole("button", { name: "Show password" }).click();
		await enter(page);
		await page.getByRole("button", { name: "Signing in…" }).waitFor();
		expect(await password(page).getAttribute("type")).toBe("password");
	}));

test("fields are marked for password managers and phones", () =>
	visit("/login", async (page) => {
		const attributes = (name: string) =>
			email(page)
				.or(password(page))
				.and(page.locator(`[name=${name}]`));
		expect(await attributes("email").getAttribute("autocomplete")).toBe("username");
		expect(await attributes("email").getAttribute("type")).toBe("email");
		expect(await attributes("email").getAttribute("autocapitalize")).toBe("none");
		expect(await attributes("password").getAttribute("autocomplete")).toBe("current-password");
	}));
