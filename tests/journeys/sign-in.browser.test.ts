import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keepPictures } from "./album.ts";
import { accessibilityFaults, openWindow, patience, type Visit } from "./browser.ts";
import { faultsInThemes } from "./console-visit.ts";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";
import { sharedBrowser } from "./shared-platform.ts";
import { focused } from "./sign-in-visit.ts";

const password = "Karibu-2026!";
let platform: RunningPlatform;
let browser: Browser;

beforeAll(async () => {
	[platform, browser] = await Promise.all([startPlatform(), sharedBrowser()]);
});

afterAll(async () => {
	await platform?.stop();
});

/** A person's window on the example application; fails when a page threw or broke its own policy. */
async function visit(
	look: (page: Page, window: BrowserContext) => Promise<void>,
	options: Visit = {},
): Promise<void> {
	const window = await openWindow(browser, options);
	const faults: string[] = [];
	try {
		window.on("weberror", (error) => faults.push(error.error().message));
		window.on("console", (message) => {
			if (message.text().includes("Content Security Policy")) faults.push(message.text());
		});
		const page = await window.newPage();
		await page.goto(platform.urls["sign-in"]);
		await look(page, window);
		expect(faults).toEqual([]);
	} catch (error) {
		await keepPictures(window, expect.getState());
		throw error;
	} finally {
		await window.close();
	}
}

const leave = (page: Page) => page.getByRole("button", { name: "Sign in with Lango" });
const submit = (page: Page) => page.getByRole("button", { name: "Sign in", exact: true });
/** What the example says behind a word, for example the role behind "Role". */
const fact = (page: Page, word: string) => page.locator("dt", { hasText: word }).locator("+ dd");
const welcome = (page: Page, name: string) =>
	page.getByRole("heading", { name: `Karibu, ${name}` }).waitFor();

async function signIn(page: Page, email: string, word = password): Promise<void> {
	await page.getByLabel("E-mail address").fill(email);
	await page.getByLabel("Password", { exact: true }).fill(word);
	await submit(page).click();
}

test("a person leaves the application, mistypes the password, signs in, and the hospital knows who they are", () =>
	visit(async (page) => {
		await leave(page).click();
		await page.getByRole("heading", { name: "Sign in to Uhai Hospital" }).waitFor();
		expect(new URL(page.url()).origin).toBe(platform.urls.accounts);

		await signIn(page, "admin@uhai.example", "not-the-password");
		await page.getByRole("alert").getByText("The e-mail address or the password is wrong.").waitFor();

		await signIn(page, "admin@uhai.example");
		await welcome(page, "Asha Mwangi");
		expect(page.url()).toBe(`${platform.urls["sign-in"]}/`);
		expect(await fact(page, "E-mail").textContent()).toBe("admin@uhai.example");
		expect(await fact(page, "Organisation").textContent()).toBe("uhai");
		expect(await fact(page, "Outlet").textContent()).toBe("All of them");
		expect(await fact(page, "Role").textContent()).toBe("hospital_admin");
		expect(await page.locator("#permissions li").allTextContents()).toContain("hospital.config.manage");
	}));

test("nothing of the sign-in is kept where a script could find it later", () =>
	visit(async (page) => {
		await leave(page).click();
		await signIn(page, "admin@uhai.example");
		await welcome(page, "Asha Mwangi");
		const kept =
			"JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])";
		expect(await page.evaluate(kept)).toBe('[{},{},"",null]');
	}));

test("staff of several outlets choose where they work before they are let in", () =>
	visit(async (page) => {
		await leave(page).click();
		await signIn(page, "nurse@uhai.example");
		await page.getByRole("heading", { name: "Where do you work today?" }).waitFor();
		expect(await page.locator("#outlets button").allTextContents()).toEqual(
			expect.arrayContaining(["Pharmacy", "Ward Block"]),
		);
		await page.getByRole("button", { name: "Ward Block" }).click();
		await welcome(page, "Njeri Kamau");
		expect(await fact(page, "Outlet").textContent()).toBe("Ward Block");
	}));

test("staff of one outlet are let in there at once", () =>
	visit(async (page) => {
		await leave(page).click();
		await signIn(page, "pharm@uhai.example");
		await welcome(page, "Peter Barasa");
		expect(await fact(page, "Outlet").textContent()).toBe("Pharmacy");
	}));

test("without an organisation the person's own one is found", () =>
	visit(async (page) => {
		await page.getByLabel("Organisation").fill("");
		await leave(page).click();
		await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
		await signIn(page, "admin@uhai.example");
		await welcome(page, "Asha Mwangi");
		expect(await fact(page, "Organisation").textContent()).toBe("uhai");
	}));

test("at another organisation a right password is answered like a wrong one", () =>
	visit(async (page) => {
		await page.getByLabel("Organisation").fill("kahawa");
		await leave(page).click();
		await page.getByRole("heading", { name: "Sign in to Kahawa Café" }).waitFor();
		await signIn(page, "admin@uhai.example");
		await page.getByRole("alert").getByText("The e-mail address or the password is wrong.").waitFor();
	}));

test("a signed-in person enters the next window without a password", () =>
	visit(async (page, window) => {
		await leave(page).click();
		await signIn(page, "admin@uhai.example");
		await welcome(page, "Asha Mwangi");

		const second = await window.newPage();
		await second.goto(platform.urls["sign-in"]);
		await leave(second).click();
		await welcome(second, "Asha Mwangi");
	}));

test("after signing out of the browser the password is asked for again", () =>
	visit(async (page) => {
		await leave(page).click();
		await signIn(page, "admin@uhai.example");
		await welcome(page, "Asha Mwangi");
		await page.getByRole("button", { name: "Sign out" }).click();
		await leave(page).waitFor();

		const back = encodeURIComponent(`${platform.urls.accounts}/signed-out`);
		await page.goto(`${platform.urls.auth}/api/v1/auth/logout?post_logout_redirect_uri=${back}`);
		await page.getByRole("heading", { name: "You are signed out" }).waitFor();
		await page.goto(platform.urls["sign-in"]);
		await leave(page).click();
		await submit(page).waitFor();
	}));

test("an answer that belongs to no sign-in of this tab is refused, and its code leaves the address bar", () =>
	visit(async (page) => {
		await page.goto(`${platform.urls["sign-in"]}/auth/callback?code=stolen&state=00ff`);
		await page.getByRole("alert").getByText("This answer belongs to no sign-in of this tab.").waitFor();
		expect(page.url()).toBe(`${platform.urls["sign-in"]}/`);
		await leave(page).waitFor();
	}));

test("an unregistered address is refused on a page, and the browser is not redirected", () =>
	visit(async (page) => {
		const query = new URLSearchParams({
			response_type: "code",
			client_id: "cafe-website",
			redirect_uri: "http://evil.example/auth/callback",
			state: "00ff",
			code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
			code_challenge_method: "S256",
		});
		const answer = await page.goto(`${platform.urls.auth}/api/v1/authorize?${query}`);
		expect(answer?.status()).toBe(400);
		expect(new URL(page.url()).origin).toBe(platform.urls.auth);
		expect(await accessibilityFaults(page)).toEqual([]);
	}));

test("the whole way is walked from the keyboard", () =>
	visit(async (page) => {
		const press = async (...keys: string[]) => {
			for (const key of keys) await page.keyboard.press(key);
		};
		await leave(page).waitFor();
		await press("Tab");
		expect(await focused(page)).toBe("tenant");
		await press("Enter");
		await expect.poll(() => focused(page), patience).toBe("email");
		await page.keyboard.type("nurse@uhai.example");
		await press("Tab");
		await page.keyboard.type(password);
		await press("Enter");
		await expect.poll(() => focused(page), patience).toBe("Where do you work today?");
		await press("Tab", "Tab");
		const outlet = await focused(page);
		await press("Enter");
		await expect.poll(() => focused(page), patience).toBe("name");
		expect(await fact(page, "Outlet").textContent()).toBe(outlet);
	}));

test("somebody registers with a plan, is signed in, loads the profile again, joins one more tenant and signs out elsewhere", () =>
	visit(async (page) => {
		await page.goto(`${platform.urls.accounts}/register`);
		const next = page.getByRole("button", { name: "Continue", exact: true });
		await page.getByLabel("Your name").fill("Amina Otieno");
		await page.getByLabel("E-mail address").fill("amina@soko.example");
		await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
		await next.click();
		await page.getByLabel("Organisation name").fill("Soko Moja");
		await next.click();
		await page.getByLabel("Growth").check();
		await page.getByRole("button", { name: "Register", exact: true }).click();
		// The console opens, signed in, and begins the plan.
		await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
		expect(page.url()).toBe(`${platform.urls.console}/soko-moja`);
		await page.getByText("Growth", { exact: true }).waitFor();
		await page.goto(`${platform.urls.accounts}/profile`);
		await page.getByRole("rowheader", { name: "Soko Moja" }).waitFor();

		// The tokens were in memory: the cookie of the browser continues the session, and no further one is made.
		const here = page.getByRole("listitem").filter({ hasText: "This device" }).getByRole("listitem");
		const applications = ["Console soko-moja", "Sign-in pages soko-moja"];
		await here.first().waitFor();
		expect((await here.allTextContents()).toSorted()).toEqual(applications);
		// The same person on a second device.
		await fetch(`${platform.urls.auth}/api/v1/auth/login`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ email: "amina@soko.example", password: "tatu nne tano", tenant_slug: "" }),
		});
		await page.reload();
		await page.getByRole("button", { name: /^Sign out of/ }).waitFor();
		expect((await here.allTextContents()).toSorted()).toEqual(applications);
		await page.getByRole("rowheader", { name: "Soko Moja" }).waitFor();
		expect(page.url()).toBe(`${platform.urls.accounts}/profile`);

		await page.getByRole("link", { name: "Join another organisation" }).click();
		await page.getByLabel("Short name of the organisation").fill("uhai");
		await page.getByRole("button", { name: "Ask to join" }).click();
		await page
			.getByText("Your request was sent. An administrator of Uhai Hospital must approve it.")
			.waitFor();
		await page.getByRole("link", { name: "Back to your profile" }).click();
		await page.getByText("Waiting for approval").waitFor();

		await page.getByRole("button", { name: "Sign out everywhere else" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere else" }).click();
		await page.getByText("You are signed out everywhere else.").waitFor();
		await expect.poll(() => page.getByRole("button", { name: /^Sign out of/ }).count(), patience).toBe(0);
	}));

test("staff of several outlets choose on the sign-in pages, too, and change it later", () =>
	visit(async (page) => {
		await page.goto(`${platform.urls.accounts}/login`);
		await signIn(page, "nurse@uhai.example");
		await page.getByRole("heading", { name: "Where do you work today?" }).waitFor();
		await page.getByRole("button", { name: "Ward Block" }).click();
		await page.locator("strong", { hasText: "Ward Block" }).waitFor();
		await page.getByRole("link", { name: "Change outlet" }).click();
		await page.getByRole("button", { name: "Pharmacy" }).click();
		await page.locator("strong", { hasText: "Pharmacy" }).waitFor();
	}));

test("a person who asked to join is signed in and sees that they wait for approval", () =>
	visit(async (page) => {
		await page.goto(`${platform.urls.accounts}/register?tenant=uhai`);
		await page.getByLabel("Your name").fill("Wanjiru");
		await page.getByLabel("E-mail address").fill("wanjiru@uhai.example");
		await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
		await page.getByRole("button", { name: "Continue", exact: true }).click();
		await page.getByText("You are asking to join Uhai Hospital.").waitFor();
		await page.getByRole("button", { name: "Register", exact: true }).click();
		await page.getByRole("heading", { name: "Waiting for approval" }).waitFor();
		await page.getByText("Last checked at").waitFor();
	}));

test("axe finds nothing on the whole way on a phone, light or dark, and nothing is scrolled sideways", () =>
	visit(
		async (page) => {
			const check = async () => expect(await faultsInThemes(page)).toEqual([]);
			await leave(page).waitFor();
			await check();
			await leave(page).click();
			await page.getByRole("heading", { name: "Sign in to Uhai Hospital" }).waitFor();
			await check();
			await signIn(page, "nurse@uhai.example", "not-the-password");
			await page.getByRole("alert").getByText("password is wrong").waitFor();
			await check();
			await signIn(page, "nurse@uhai.example");
			await page.getByRole("button", { name: "Pharmacy" }).waitFor();
			await check();
			await page.getByRole("button", { name: "Pharmacy" }).click();
			await welcome(page, "Njeri Kamau");
			await check();
		},
		{ width: 360, height: 740, touch: true },
	));
