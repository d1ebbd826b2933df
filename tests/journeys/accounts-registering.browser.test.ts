import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { accessibilityFaults } from "./browser.ts";
import { expectNoFaults } from "./console-visit.ts";
import { joined, nurse } from "./fake-sign-on-answers.ts";
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

async function fillPerson(page: Page): Promise<void> {
	await page.getByLabel("Your name").fill("Amina");
	await email(page).fill("amina@example.com");
	await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
}

test("a new organisation is registered in three steps with its plan, and the person is signed in", () =>
	visit("/register", async (page) => {
		await page.getByText("Step 1 of 3: You").waitFor();
		await press(page, "Continue");
		await page.getByRole("alert").getByText("Enter your name.").waitFor();
		await fillPerson(page);
		await checkLooks(page);
		await press(page, "Continue");
		await page.getByText("Step 2 of 3: Organisation").waitFor();
		await expect.poll(() => focused(page)).toBe("organization_name");
		await page.getByLabel("Organisation name").fill("Soko Café");
		expect(await page.getByLabel("Short name").inputValue()).toBe("soko-cafe");
		await checkLooks(page);
		await press(page, "Back");
		expect(await page.getByLabel("Your name").inputValue()).toBe("Amina");
		await press(page, "Continue");
		await press(page, "Continue");
		await page.getByText("Step 3 of 3: Plan").waitFor();
		await page.getByLabel("Growth").check();
		expect(await page.getByText("Ksh 7,500.00 a month · 14 days free").count()).toBe(1);
		await checkLooks(page);
		await press(page, "Register");
		await heading(page, "Your profile");
		const received = accounts.signOn.takeReceived();
		const sent = (path: string) => received.find((one) => one.path === path)?.body;
		const credentials = { email: "amina@example.com", password: "tatu nne tano", tenant_slug: "uhai" };
		expect(sent("/api/v1/auth/login")).toEqual(credentials);
		expect(sent("/api/v1/auth/register")).toEqual({
			name: "Amina",
			email: "amina@example.com",
			password: "tatu nne tano",
			org_action: "create_new",
			organization: { name: "Soko Café", slug: "soko-cafe", org_size: "1-10", use_case: "hospitality" },
			selected_plan: "growth",
		});
	}));

test("an organisation is registered by the keyboard alone", () =>
	visit("/register", async (page) => {
		const type = (text: string) => page.keyboard.type(text);
		for (let presses = 0; (await focused(page)) !== "name" && presses < 20; presses += 1)
			await page.keyboard.press("Tab");
		await type("Amina");
		await page.keyboard.press("Tab");
		await type("amina@example.com");
		await page.keyboard.press("Tab");
		await type("tatu nne tano");
		await page.keyboard.press("Enter");
		await expect.poll(() => focused(page)).toBe("organization_name");
		await type("Soko");
		await page.keyboard.press("Enter");
		await expect.poll(() => focused(page)).toBe("plan");
		await page.keyboard.press("Space");
		await page.keyboard.press("Enter");
		await heading(page, "Your profile");
	}));

test("a double click on the button registers once", () =>
	visit("/register", async (page) => {
		await fillPerson(page);
		await press(page, "Continue");
		await page.getByLabel("Organisation name").fill("Soko");
		await press(page, "Continue");
		await page.getByRole("button", { name: "Register" }).dblclick();
		await heading(page, "Your profile");
		const received = accounts.signOn.takeReceived().map(({ path }) => path);
		expect(received.filter((path) => path === "/api/v1/auth/register")).toHaveLength(1);
	}));

test("without the plans a person still registers", async () => {
	answer("GET /api/v1/plans", 404, { code: "not_found" });
	await visit("/register", async (page) => {
		await fillPerson(page);
		await press(page, "Continue");
		await page.getByLabel("Organisation name").fill("Soko");
		await press(page, "Continue");
		await page.getByText("The plans cannot be shown at the moment.").waitFor();
		expect(await page.getByRole("button", { name: "Register" }).isEnabled()).toBe(true);
	});
});

test("a person who asks to join an organisation sees its name and that the request is pending", async () => {
	answer("POST /api/v1/auth/register", 201, joined("pending_review"));
	ok("GET /api/v1/auth/me", { ...nurse, status: "pending_review" });
	await visit("/register?tenant=uhai", async (page) => {
		await page.getByText("Step 1 of 2: You").waitFor();
		await fillPerson(page);
		await press(page, "Continue");
		await page.getByText("You are asking to join Uhai Hospital.").waitFor();
		await checkLooks(page);
		await press(page, "Register");
		await heading(page, "Waiting for approval");
		expect(bodyOf("/api/v1/auth/register")).toMatchObject({
			org_action: "join_existing",
			tenant_slug: "uhai",
			requested_role: "member",
		});
	});
});

test.each([
	{ status: 409, body: { code: "email_taken" }, says: "If it is yours, sign in instead.", focus: "email" },
	{ status: 409, body: { code: "slug_taken" }, says: "Choose another one.", focus: "slug" },
	{
		status: 400,
		body: { code: "password_weak", field: "password" },
		says: "Choose another password",
		focus: "password",
	},
	{
		status: 400,
		body: { code: "invalid_input", field: "organization.slug" },
		says: "2 to 63 lowercase letters",
		focus: "slug",
	},
	{ status: 429, body: { code: "rate_limited" }, says: "Too many attempts.", focus: "form-error" },
])(
	"a registration refused with $body leads back to the step of the field to correct",
	({ status, body, says, focus }) => {
		accounts.signOn.answer("POST /api/v1/auth/register", refused(status, body));
		answered.push("POST /api/v1/auth/register");
		return visit("/register", async (page) => {
			await fillPerson(page);
			await press(page, "Continue");
			await page.getByLabel("Organisation name").fill("Soko");
			await press(page, "Continue");
			await press(page, "Register");
			await page.getByRole("alert").getByText(says).waitFor();
			await expect.poll(() => focused(page)).toBe(focus);
		});
	},
);

test("all wrong fields of a step are listed before anything is sent, and the first one has the focus", () =>
	visit("/register", async (page) => {
		const summary = page.getByRole("alert");
		const says = (text: string) => summary.getByText(text).waitFor();
		await email(page).fill("amina@");
		await page.getByLabel("Password", { exact: true }).fill("abc");
		await press(page, "Continue");
		await says("3 fields need attention.");
		await expect.poll(() => focused(page)).toBe("name");
		for (const [name, text] of [
			["name", "Enter your name."],
			["email", "Enter a valid e-mail address"],
			["password", "8 to 128 characters"],
		] as const) {
			const error = page.locator(`[name=${name}] >> xpath=following::p[1]`);
			expect(await error.getAttribute("id")).toBe(`${name}-error`);
			expect(await error.textContent()).toContain(text);
			const described = await page.locator(`[name=${name}]`).getAttribute("aria-describedby");
			expect(described).toContain(`${name}-error`);
		}
		await checkLooks(page);
		await summary.getByRole("button", { name: "Enter a valid e-mail address" }).click();
		expect(await focused(page)).toBe("email");
		await summary.getByRole("button", { name: "8 to 128 characters" }).click();
		expect(await focused(page)).toBe("password");
		await fillPerson(page);
		await press(page, "Continue");
		await page.getByLabel("Short name").fill("A B");
		await press(page, "Continue");
		await says("2 fields need attention.");
		await says("2 to 63 lowercase letters");
		await expect.poll(() => focused(page)).toBe("organization_name");
		await press(page, "Back");
		await press(page, "Continue");
		await page.getByText("Step 2 of 3: Organisation").waitFor();
		expect(bodyOf("/api/v1/auth/register")).toBe(undefined);
	}));

test("a registration whose sign-in fails leads to the sign-in, which knows the address", () =>
	visit("/register#invitation=a-secret", async (page) => {
		accounts.signOn.login(refused(503, { code: "sign_in_busy" }));
		await page.getByLabel("Your name").fill("Amina");
		await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
		await press(page, "Register and accept");
		await page.getByText("You are registered with Uhai Hospital. Sign in to continue.").waitFor();
		expect(await email(page).inputValue()).toBe("amina@example.com");
	}));

const offer = "Asha Mwangi invites you to work with Uhai Hospital as Cashier and Waiter.";

test("an invitation names inviter, organisation and roles, survives a reload, and ends signed in", () =>
	visit("/register#invitation=a-secret", async (page) => {
		await heading(page, "Join Uhai Hospital");
		await page.getByText(offer).waitFor();
		await checkLooks(page);
		await page.reload();
		await page.getByText(offer).waitFor();
		expect(await email(page).inputValue()).toBe("amina@example.com");
		expect(await email(page).isEditable()).toBe(false);
		await page.getByLabel("Your name").fill("Amina");
		await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
		await press(page, "Register and accept");
		await heading(page, "Your profile");
		expect(page.url()).not.toContain("a-secret");
		expect(bodyOf("/api/v1/auth/register")).toMatchObject({
			...{ invitation: "a-secret", email: "amina@example.com" },
		});
	}));

test("a registered person who is invited signs in with the address filled in and accepts, also after a reload", async () => {
	answer("POST /api/v1/auth/register", 409, { code: "email_taken" });
	ok("POST /api/v1/auth/join", joined("active"));
	await visit("/register#invitation=a-secret", async (page) => {
		await page.getByLabel("Your name").fill("Amina");
		await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
		await press(page, "Register and accept");
		await heading(page, "Sign in");
		expect(await email(page).inputValue()).toBe("amina@example.com");
		await page.reload();
		ok("GET /api/v1/auth/me", { ...nurse, email: "amina@example.com" });
		await enter(page);
		await page.getByText(offer).waitFor();
		await checkLooks(page);
		accounts.signOn.takeReceived();
		await press(page, "Accept");
		await page.getByText("You are now a member of Uhai Hospital.").waitFor();
		await expectNoFaults(page);
		expect(page.url()).not.toContain("a-secret");
		expect(bodyOf("/api/v1/auth/join")).toEqual({ invitation: "a-secret" });
	});
});

test("an invitation ends where its link pointed: after a registration, and after a sign-in and a reload; Back does not show the form", async () => {
	const link = `/register?return_to=${encodeURIComponent(`${accounts.signOn.url}/api/v1/authorize?client_id=console-ui`)}#invitation=a-secret`;
	const open = (page: Page) => page.goto(accounts.pages.url + link);
	const expectNoForm = async (page: Page) => {
		await heading(page, "Back at the application");
		await page.goBack();
		await page.waitForURL(`${accounts.pages.url}/signed-out`);
	};
	await visit("/signed-out", async (page) => {
		await open(page);
		await page.getByLabel("Your name").fill("Amina");
		await page.reload();
		await expect.poll(() => page.getByLabel("Your name").inputValue()).toBe("Amina");
		await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
		await press(page, "Register and accept");
		await expectNoForm(page);
	});
	answer("POST /api/v1/auth/register", 409, { code: "email_taken" });
	ok("POST /api/v1/auth/join", joined("active"));
	await visit("/signed-out", async (page) => {
		await open(page);
		await page.getByLabel("Your name").fill("Amina");
		await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
		await press(page, "Register and accept");
		await heading(page, "Sign in");
		await page.reload();
		ok("GET /api/v1/auth/me", { ...nurse, email: "amina@example.com" });
		await enter(page);
		await press(page, "Accept");
		await expectNoForm(page);
	});
});

test("an invitation for another address than the signed-in person's offers to sign out", () =>
	visit("/join#invitation=a-secret", async (page) => {
		await enter(page);
		await page.getByText("you are signed in as nurse@uhai.example").waitFor();
		expect(await page.getByRole("button", { name: "Accept" }).count()).toBe(0);
		await checkLooks(page);
	}));

test("an invitation that is used or expired says what to do", async () => {
	answer("POST /api/v1/auth/invitation", 400, { code: "invitation_invalid" });
	await visit("/register#invitation=a-secret", async (page) => {
		await heading(page, "This link cannot be used");
		await checkLooks(page);
	});
});

test("what was typed stays over Escape, a failure, a lost network, going back and a reload, until it is sent", async () => {
	await visit("/register", async (page) => {
		await fillPerson(page);
		await press(page, "Continue");
		await page.getByRole("radio", { name: /^Join/ }).check();
		const slug = page.getByLabel("Short name of the organisation");
		await slug.fill("uhai");
		await page.keyboard.press("Escape");
		accounts.signOn.answer("POST /api/v1/auth/register", refused(500, { code: "internal" }));
		answered.push("POST /api/v1/auth/register");
		for (const isOffline of [false, true]) {
			await page.context().setOffline(isOffline);
			await press(page, "Register");
			await page
				.getByRole("alert")
				.getByText(isOffline ? "Check your connection" : "reference")
				.waitFor();
			expect(await slug.inputValue()).toBe("uhai");
		}
		await page.context().setOffline(false);
		const expectKept = async () => {
			await page.getByText("Step 1 of 2: You").waitFor();
			expect(await page.getByLabel("Your name").inputValue()).toBe("Amina");
			expect(await email(page).inputValue()).toBe("amina@example.com");
			expect(await page.getByLabel("Password", { exact: true }).inputValue()).toBe("");
			await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
			await press(page, "Continue");
			await expect.poll(() => slug.inputValue()).toBe("uhai");
		};
		await page.getByRole("link", { name: "Sign in" }).click();
		await page.goBack();
		await expectKept();
		await page.reload();
		await expectKept();
		accounts.signOn.answer("POST /api/v1/auth/register");
		await press(page, "Register");
		await heading(page, "Your profile");
		await page.goto(`${accounts.pages.url}/register`);
		await page.getByText("Step 1 of 3: You").waitFor();
		expect(await page.getByLabel("Your name").inputValue()).toBe("");
	});
});
