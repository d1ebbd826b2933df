import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { accessibilityFaults } from "./browser.ts";
import { expectNoFaults } from "./console-visit.ts";
import { nurse, outletIds, outlets, sessions, tokens } from "./fake-sign-on-answers.ts";
import { email, enter, focused, openSignInPages, refused, type SignInPages } from "./sign-in-visit.ts";

let accounts: SignInPages;
const answered: string[] = [];
beforeAll(async () => {
	accounts = await openSignInPages();
});
afterEach(() => {
	for (const call of answered.splice(0)) accounts.signOn.answer(call);
});
afterAll(() => accounts?.close());
const visit: SignInPages["visit"] = (...args) => accounts.visit(...args);

const answer = (call: string, status: number, body: unknown) => {
	answered.push(call);
	accounts.signOn.answer(call, { status, body });
};
const ok = (call: string, body: unknown) => answer(call, 200, body);
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const bodyOf = (path: string) => accounts.signOn.takeReceived().find((one) => one.path === path)?.body;

async function checkLooks(page: Page): Promise<void> {
	expect(await accessibilityFaults(page)).toEqual([]);
	expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
}

async function openProfile(page: Page): Promise<void> {
	await enter(page);
	await page.getByRole("link", { name: "Your profile" }).click();
	await heading(page, "Your profile");
}

test("the profile shows who, where and since when in the tenant's zone, on a phone in the dark too", () =>
	visit(
		"/login",
		async (page) => {
			await openProfile(page);
			await page.getByText("Times are in your organisation’s time zone: East Africa Time.").waitFor();
			await page.getByText("2 Feb 2026, 00:05").first().waitFor();
			await page.getByText("Ward Block").waitFor();
			expect(await page.getByText("Waiting for approval").count()).toBe(1);
			await checkLooks(page);
			await press(page, "Send a confirmation link");
			await page
				.getByText("If your address is not confirmed yet, a link was sent to nurse@uhai.example.")
				.waitFor();
		},
		{ width: 360, height: 740, colorScheme: "dark", touch: true },
	));

test("one device is signed out by a press, all others after a question that Escape answers with no", () =>
	visit("/login", async (page) => {
		await openProfile(page);
		await press(page, "Sign out of Chrome, Android");
		await page.getByText("Signed out of Chrome, Android.").waitFor();
		await press(page, "Sign out everywhere else");
		await page.getByRole("dialog", { name: "Sign out everywhere else?" }).waitFor();
		await checkLooks(page);
		await page.keyboard.press("Escape");
		await page.getByRole("dialog").waitFor({ state: "detached" });
		await expect.poll(() => focused(page)).toBe("Sign out everywhere else");
		await press(page, "Sign out everywhere else");
		await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere else" }).click();
		await page.getByText("You are signed out everywhere else.").waitFor();
		const deleted = accounts.signOn.takeReceived().filter(({ method }) => method === "DELETE");
		expect(deleted.map(({ path }) => path)).toEqual([
			`/api/v1/auth/sessions/${sessions[1]?.id}`,
			"/api/v1/auth/sessions",
		]);
	}));

test("a wrong current password is said there, a right one changes it and empties the form", () =>
	visit("/login", async (page) => {
		await openProfile(page);
		const change = async () => {
			await page.getByLabel("Current password").fill("Karibu-2026!");
			await page.getByLabel("New password").fill("tatu nne tano");
			await press(page, "Change password");
		};
		answer("POST /api/v1/auth/password/change", 403, { code: "password_wrong" });
		await change();
		await page.getByRole("alert").getByText("The current password is wrong.").waitFor();
		await expect.poll(() => focused(page)).toBe("current_password");
		ok("POST /api/v1/auth/password/change", { changed: true });
		await change();
		await page.getByText("Your password was changed.").waitFor();
		expect(await page.getByLabel("Current password").inputValue()).toBe("");
	}));

test("a further organisation is made, and one that is here is joined", () =>
	visit("/login", async (page) => {
		await openProfile(page);
		await page.getByRole("link", { name: "Create another organisation" }).click();
		await page.getByLabel("Organisation name").fill("Soko");
		await checkLooks(page);
		await press(page, "Create organisation");
		await page.getByText("Soko is ready. You are its administrator.").waitFor();
		await expectNoFaults(page);
		await page.getByRole("link", { name: "Back to your profile" }).click();
		await page.getByRole("link", { name: "Join another organisation" }).click();
		await page.getByLabel("Short name of the organisation").fill("uhai");
		await checkLooks(page);
		await press(page, "Ask to join");
		await page
			.getByText("Your request was sent. An administrator of Uhai Hospital must approve it.")
			.waitFor();
	}));

test("what was typed is there again after the sign-in that an expired session asks for", () =>
	visit("/login", async (page) => {
		await openProfile(page);
		await page.getByRole("link", { name: "Create another organisation" }).click();
		await page.getByLabel("Organisation name").fill("Soko");
		const ended = refused(401, { code: "session_ended" });
		for (const call of ["POST /api/v1/tenants", "POST /api/v1/token"]) {
			answered.push(call);
			accounts.signOn.answer(call, ended);
		}
		await press(page, "Create organisation");
		await page.getByRole("alert").waitFor();
		expect(await page.getByLabel("Organisation name").inputValue()).toBe("Soko");
		for (const call of answered) accounts.signOn.answer(call);
		await page.reload();
		await enter(page);
		await expect.poll(() => page.getByLabel("Organisation name").inputValue()).toBe("Soko");
		await press(page, "Create organisation");
		await page.getByText("Soko is ready. You are its administrator.").waitFor();
	}));

test("what was typed is there again when a form that was left while it was sent could not be saved", () =>
	visit("/login", async (page) => {
		await openProfile(page);
		const openForm = () => page.getByRole("link", { name: "Create another organisation" }).click();
		await openForm();
		await page.getByLabel("Organisation name").fill("Soko");
		const answer = Promise.withResolvers<void>();
		await page.route("**/api/v1/tenants", async (route) => {
			if (route.request().method() !== "POST") return route.fallback();
			await answer.promise;
			return route.abort();
		});
		await press(page, "Create organisation");
		await page.getByRole("button", { name: "Creating" }).waitFor();
		await page.getByRole("link", { name: "Back to your profile" }).click();
		await heading(page, "Your profile");
		const failed = page.waitForEvent("requestfailed");
		answer.resolve();
		await failed;
		await openForm();
		await expect.poll(() => page.getByLabel("Organisation name").inputValue()).toBe("Soko");
	}));

test("what one person typed is not shown to the next, and is forgotten at the sign-out", () =>
	visit("/login", async (page) => {
		const open = async (name: string) => {
			await page.goto(`${accounts.pages.url}/new-organisation`);
			await enter(page);
			await heading(page, "Create another organisation");
			await expect.poll(() => page.getByLabel("Organisation name").inputValue()).toBe(name);
		};
		await open("");
		await page.getByLabel("Organisation name").fill("Soko");
		ok("GET /api/v1/auth/me", { ...nurse, user_id: "7d9f0a52-0000-4000-8000-000000000009" });
		await open("");
		ok("GET /api/v1/auth/me", nurse);
		await open("Soko");
		await page.goto(`${accounts.pages.url}/signed-out`);
		await heading(page, "You are signed out");
		await open("");
	}));

test("staff of several outlets choose one, and the last choice comes first the next time", () =>
	visit("/login", async (page) => {
		accounts.signOn.login({
			status: 200,
			body: {
				...tokens,
				requiresOutletSelection: true,
				ssoExchangeToken: "once",
				outletIds,
				user: { email: "n@u.example" },
			},
		});
		await enter(page);
		await heading(page, "Where do you work today?");
		expect(new URL(page.url()).pathname).toBe("/uhai/auth/select-outlet");
		await checkLooks(page);
		expect(await page.getByRole("listitem").allTextContents()).toEqual([
			expect.stringContaining("Pharmacy"),
			expect.stringContaining("Ward Block"),
		]);
		await page.getByRole("button", { name: "Ward Block" }).click();
		await heading(page, "Your profile");
		expect(bodyOf("/api/v1/auth/select-outlet")).toEqual({
			ssoExchangeToken: "once",
			outletId: outlets[1]?.id,
		});
		await page.getByRole("link", { name: "Change outlet" }).click();
		await page.getByRole("button", { name: "Ward Block" }).getByText("Last used").waitFor();
		expect(await page.getByRole("listitem").first().textContent()).toContain("Ward Block");
		answer("POST /api/v1/auth/select-outlet", 403, { code: "outlet_forbidden" });
		await page.getByRole("button", { name: "Pharmacy" }).click();
		await page.getByRole("alert").getByText("You don’t have access to this outlet.").waitFor();
	}));

test("the outlet chosen last is selected at the next sign-in without a question, if it is still offered", () =>
	visit("/login", async (page) => {
		const user = { email: "n@u.example" };
		const session = { ...tokens, requiresOutletSelection: true, ssoExchangeToken: "once", user };
		const signInTo = async (outletIds: string[]) => {
			accounts.signOn.login({ status: 200, body: { ...session, outletIds } });
			await page.goto(`${accounts.pages.url}/login`);
			await enter(page);
		};
		const selected = () => bodyOf("/api/v1/auth/select-outlet");
		await signInTo(outletIds);
		await page.getByRole("button", { name: "Ward Block" }).click();
		await heading(page, "Your profile");
		expect(selected()).toMatchObject({ outletId: outlets[1]?.id });
		await signInTo(outletIds);
		await heading(page, "Your profile");
		expect(selected()).toMatchObject({ outletId: outlets[1]?.id });
		await signInTo(outlets.filter(({ name }) => name !== "Ward Block").map(({ id }) => id));
		await heading(page, "Where do you work today?");
		await page.getByRole("button", { name: "Pharmacy" }).waitFor();
		expect(selected()).toBeUndefined();
	}));

test("many outlets are searched", () =>
	visit("/login", async (page) => {
		const many = Array.from({ length: 12 }, (_, index) => ({
			...outlets[1],
			...{ id: `clinic-${index + 1}`, name: `Clinic ${index + 1}` },
		}));
		const user = { email: "n@u.example" };
		const session = { requiresOutletSelection: true, ssoExchangeToken: "once", user };
		ok("GET /api/v1/tenants/uhai/outlets", many);
		accounts.signOn.login({
			status: 200,
			body: { ...tokens, ...session, outletIds: many.map(({ id }) => id) },
		});
		await enter(page);
		await heading(page, "Where do you work today?");
		const offered = page.getByRole("listitem");
		await expect.poll(() => offered.count()).toBe(12);
		expect((await offered.allTextContents()).slice(0, 2)).toEqual([
			expect.stringMatching(/^Clinic 1\D/),
			expect.stringMatching(/^Clinic 2\D/),
		]);
		await page.getByRole("searchbox", { name: "Search outlets" }).fill("elsewhere");
		await page.getByText("No results.").waitFor();
		await checkLooks(page);
		await page.getByRole("searchbox", { name: "Search outlets" }).fill("clinic 12");
		await expect.poll(() => offered.count()).toBe(1);
		await page.getByRole("button", { name: "Clinic 12" }).click();
		await heading(page, "Your profile");
	}));

test("after an outlet that was refused another is chosen with a new one-time token", () =>
	visit("/login", async (page) => {
		const user = { email: "n@u.example" };
		const body = { ...tokens, requiresOutletSelection: true, ssoExchangeToken: "once", outletIds, user };
		accounts.signOn.login({ status: 200, body });
		await enter(page);
		await heading(page, "Where do you work today?");
		answer("POST /api/v1/auth/select-outlet", 403, { code: "outlet_forbidden" });
		await page.getByRole("button", { name: "Pharmacy" }).click();
		await page.getByRole("alert").getByText("You don’t have access to this outlet.").waitFor();
		accounts.signOn.answer("POST /api/v1/auth/select-outlet");
		accounts.signOn.takeReceived();
		await page.getByRole("button", { name: "Ward Block" }).click();
		await heading(page, "Your profile");
		expect(bodyOf("/api/v1/auth/select-outlet")).toEqual({
			ssoExchangeToken: "an-exchange-token",
			outletId: outlets[1]?.id,
		});
	}));

test("a waiting person's status is checked every 15 seconds, and approval opens the profile", async () => {
	ok("GET /api/v1/auth/me", { ...nurse, status: "pending_review" });
	await visit("/login", async (page) => {
		await page.clock.install();
		await enter(page);
		await heading(page, "Waiting for approval");
		await checkLooks(page);
		accounts.signOn.takeReceived();
		await page.clock.fastForward(8_000);
		expect(accounts.signOn.takeReceived()).toEqual([]);
		ok("GET /api/v1/auth/me", nurse);
		await page.clock.fastForward(7_500);
		await heading(page, "Your profile");
		const asked = accounts.signOn.takeReceived().map(({ path }) => path);
		expect(asked).toContain("/api/v1/auth/refresh");
	});
});

test("a forgotten password: the response does not reveal whether the address is registered", () =>
	visit("/login", async (page) => {
		await page.getByRole("link", { name: "Forgot your password?" }).click();
		await heading(page, "Forgot your password?");
		await checkLooks(page);
		await email(page).fill("amina@example.com");
		await press(page, "Send link");
		await heading(page, "Check your e-mail");
		await page.getByText("If amina@example.com is registered, a link was sent to it.").waitFor();
		await expectNoFaults(page);
	}));

test("a new password is set by the link, also after a reload, and then its value leaves the address", () =>
	visit("/reset-password#token=a-secret", async (page) => {
		await heading(page, "Set a new password");
		await page.reload();
		await heading(page, "Set a new password");
		await checkLooks(page);
		await page.getByLabel("New password").fill("tatu nne tano");
		await press(page, "Set password");
		await page.getByText("Your new password is set. Sign in with it.").waitFor();
		expect(page.url()).not.toContain("a-secret");
		expect(bodyOf("/api/v1/auth/password/reset")).toEqual({ token: "a-secret", password: "tatu nne tano" });
	}));

test("an address is confirmed by choosing a new password, not by opening the link", () =>
	visit("/verify-email#token=a-secret", async (page) => {
		await heading(page, "Confirm your e-mail address");
		await page.reload();
		await heading(page, "Confirm your e-mail address");
		expect(bodyOf("/api/v1/auth/email/verify")).toBeUndefined();
		await checkLooks(page);
		await press(page, "Confirm");
		expect(bodyOf("/api/v1/auth/email/verify")).toBeUndefined();
		await page.getByLabel("New password").fill("tatu nne tano");
		await press(page, "Confirm");
		await heading(page, "Your e-mail address is confirmed");
		expect(page.url()).not.toContain("a-secret");
		await checkLooks(page);
		expect(bodyOf("/api/v1/auth/email/verify")).toEqual({ token: "a-secret", password: "tatu nne tano" });
		await page.getByRole("link", { name: "Sign in" }).click();
		await heading(page, "Sign in");
	}));

test.each(["/reset-password", "/verify-email"])("%s without the value of a link says what to do", (path) =>
	visit(path, async (page) => {
		await heading(page, "This link cannot be used");
		await checkLooks(page);
	}),
);

test("the profile without a session leads to the sign-in and back; with one of the browser it opens at once", () =>
	visit("/profile", async (page) => {
		await heading(page, "Sign in");
		expect(new URL(page.url()).search).toBe("?return_to=%2Fprofile");
		await enter(page);
		await heading(page, "Your profile");
		ok("POST /api/v1/auth/resume", { ...tokens, refresh_token: undefined, me: nurse });
		accounts.signOn.takeReceived();
		await page.reload();
		await heading(page, "Your profile");
		const asked = accounts.signOn.takeReceived().map(({ path }) => path);
		expect(asked).toContain("/api/v1/auth/resume");
		expect(asked).not.toContain("/api/v1/auth/me");
		expect(asked).not.toContain("/api/v1/token");
	}));

test("a session that cannot be continued now is said, and tried again by a press", async () => {
	accounts.signOn.answer("POST /api/v1/auth/resume", refused(503, { code: "unavailable" }));
	answered.push("POST /api/v1/auth/resume");
	await visit("/profile", async (page) => {
		await page.getByRole("button", { name: "Try again" }).waitFor();
		await checkLooks(page);
		ok("POST /api/v1/auth/resume", { ...tokens, refresh_token: undefined, me: nurse });
		await press(page, "Try again");
		await heading(page, "Your profile");
	});
});

test("a tenant's name is asked for once in six hours", () =>
	visit("/login?tenant=uhai", async (page) => {
		await heading(page, "Sign in to Uhai Hospital");
		await page.reload();
		await heading(page, "Sign in to Uhai Hospital");
		const asked = accounts.signOn.takeReceived().filter(({ path }) => path.includes("/by-slug/"));
		expect(asked).toHaveLength(1);
	}));
