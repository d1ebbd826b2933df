import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import {
	enter,
	expectNoFaults,
	heading,
	openPath,
	openSharedConsole,
	type SharedConsole,
	signIn,
	switchOutlet,
} from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const visit: SharedConsole["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;

test("an administrator comes from the start page by way of the sign-in to the overview of their tenant", () =>
	visit(async (page) => {
		await page.goto(at("/"));
		await signIn(page, admin.email);
		await heading(page, "Overview").waitFor();
		expect(page.url()).toBe(at("/uhai"));
		await page.getByText("Professional").waitFor();
		await page.getByText("Active", { exact: true }).waitFor();
		await page.getByText(/\d+ days left/).waitFor();
		await page.getByText(/^\d+ of 10,000$/).waitFor();
		await page.getByText("3 outlets").waitFor();
		await page.getByRole("heading", { name: "Recent changes" }).waitFor();
	}));

test("a page loaded again comes back without a password, at the same address and outlet", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await switchOutlet(page, "Ward Block");
		await page.getByRole("link", { name: "Sessions" }).click();
		await heading(page, "Sessions").waitFor();
		await page.reload();
		await heading(page, "Sessions").waitFor();
		expect(page.url()).toBe(at("/uhai/sessions"));
		await page.getByRole("button", { name: "Change outlet: Ward Block" }).waitFor();
	}));

test("no token is kept where a script could find it later, or in an address", () =>
	visit(async (page) => {
		const addresses: string[] = [];
		page.on("framenavigated", (frame) => addresses.push(frame.url()));
		await page.goto(at("/uhai"));
		await signIn(page, admin.email);
		await heading(page, "Overview").waitFor();
		const kept = await page.evaluate(
			"JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
		);
		expect(kept).not.toMatch(/eyJ|refresh/);
		expect(addresses.join(" ")).toContain(stand.urls.accounts);
		expect(addresses.join(" ")).not.toContain("eyJ");
		expect(page.url()).not.toContain("code=");
	}));

test("staff of several outlets choose one for the session, change it later, and see the receipts of payments", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), { email: "nurse@uhai.example", outlet: "Ward Block" });
		await page.getByRole("button", { name: "Change outlet: Ward Block" }).click();
		const offered = page.getByRole("dialog", { name: "Change outlet" }).getByRole("option");
		await offered.first().waitFor();
		expect(await offered.allTextContents()).toEqual([
			expect.stringMatching(/^Ward Block.*Selected$/),
			expect.stringMatching(/^Pharmacy/),
		]);
		await offered.last().click();
		await page.getByRole("button", { name: "Change outlet: Pharmacy" }).waitFor();
		expect(await page.getByRole("heading", { name: "Recent changes" }).count()).toBe(0);
		// By the role treasury_operator; at the sign-on service, staff may not see people.
		expect(await page.getByRole("link", { name: "People", exact: true }).count()).toBe(0);
		await page.getByRole("link", { name: "Receipts", exact: true }).click();
		await heading(page, "Receipts").waitFor();
	}));

test("choosing an outlet too late after a reload offers to sign in again", () =>
	visit(async (page) => {
		await page.goto(at("/uhai"));
		await signIn(page, "nurse@uhai.example");
		await heading(page, "Where do you work today?").waitFor();
		await page.reload();
		await page.route("**/auth/select-outlet", (route) => {
			if (route.request().method() !== "POST") return route.fallback();
			const headers = { "access-control-allow-origin": stand.urls.console };
			return route.fulfill({ status: 401, headers, json: { error: "old", code: "exchange_token_invalid" } });
		});
		await page.getByRole("button", { name: "Ward Block" }).click();
		await heading(page, "You are signed out").waitFor();
		await page.unroute("**/auth/select-outlet");
		await page.getByRole("button", { name: "Sign in", exact: true }).click();
		await page.getByRole("button", { name: "Ward Block" }).click();
		await heading(page, "Overview").waitFor();
	}));

test("staff of one outlet are not asked where they work", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), { email: "pharm@uhai.example" });
		expect(await page.evaluate("sessionStorage['console-selected-outlet-id']")).toMatch(/^[0-9a-f-]{36}$/);
	}));

test("the administrator of an expired tenant comes to the plans, and may go on reading", () =>
	visit(async (page) => {
		await page.goto(at("/duka"));
		await signIn(page, "owner@duka.example");
		await heading(page, "Subscription").waitFor();
		expect(page.url()).toBe(at("/duka/subscribe"));
		await page.getByRole("heading", { name: "Professional" }).waitFor();
		await page.getByText("Ksh 12,000.00 a month").waitFor();
		await page.getByRole("button", { name: "Continue in read-only mode" }).click();
		await heading(page, "Overview").waitFor();
		await page.getByText("Expired", { exact: true }).waitFor();
		await page.getByText("The subscription has expired.").waitFor();
	}));

test("the platform's owner has no plan, sees every tenant, and sends no tenant headers", () =>
	visit(async (page) => {
		const sent: string[] = [];
		page.on("request", (request) => {
			const { "x-tenant-id": id, "x-tenant-slug": slug } = request.headers();
			if (id !== undefined || slug !== undefined) sent.push(request.url());
		});
		await enter(page, at("/"), { email: "root@lango.example" });
		expect(page.url()).toBe(at("/lango"));
		await page.getByText("The platform owner has no plan").waitFor();
		await page.goto(at("/uhai"));
		await page.getByText("You are viewing this organisation as the platform owner.").waitFor();
		await page.getByText("Professional").waitFor();
		await page.getByText("3 outlets").waitFor();
		expect(sent).toEqual([]);
	}));

test("after signing out the tab rests at a page that says so, and the password is asked for again", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await page.getByRole("button", { name: "Sign out" }).click();
		await heading(page, "You are signed out").waitFor();
		expect(page.url()).toBe(at("/"));
		await page.getByRole("button", { name: "Sign in" }).click();
		await page.getByLabel("Password", { exact: true }).waitFor();
		expect(new URL(page.url()).origin).toBe(stand.urls.accounts);
	}));

test("signing out in one tab closes what is open in another", () =>
	visit(async (page, window) => {
		await enter(page, at("/uhai"), admin);
		const second = await window.newPage();
		await second.goto(at("/uhai"));
		await heading(second, "Overview").waitFor();
		await page.getByRole("button", { name: "Sign out" }).click();
		await heading(second, "You are signed out").waitFor();
	}));

test("a person without a membership in the tenant of the address sees that, and is not redirected in circles", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await page.goto(at("/kahawa"));
		await heading(page, "You don’t have access").waitFor();
		await page.getByText("admin@uhai.example is not a member of Kahawa Café.").waitFor();
		await expectNoFaults(page);
		await page.getByRole("link", { name: "Go to Uhai Hospital" }).click();
		await heading(page, "Overview").waitFor();
	}));

test("an unknown slug is reported before the sign-in", () =>
	visit(async (page) => {
		await page.goto(at("/nowhere"));
		await heading(page, "Organisation not found").waitFor();
		expect(page.url()).toBe(at("/nowhere"));
		await expectNoFaults(page);
	}));

test.each(["/nowhere", "/nowhere/people", "/nowhere/platform/keys"])(
	"the platform owner at %s sees only that there is no such organisation, and goes back from there",
	(path) =>
		visit(async (page) => {
			await enter(page, at("/lango"), { email: "root@lango.example" });
			await page.getByRole("navigation").waitFor();
			await page.goto(at(path));
			await heading(page, "Organisation not found").waitFor();
			await page.getByText("There is no organisation “nowhere”.").waitFor();
			expect(await page.getByRole("navigation").count()).toBe(0);
			expect(page.url()).toBe(at(path));
			await expectNoFaults(page);
			await page.getByRole("link", { name: "Go to the home page" }).click();
			await heading(page, "Overview").waitFor();
			expect(page.url()).toBe(at("/lango"));
		}),
);

test("a console that cannot start says so, reports why, and starts after a press", () =>
	visit(async (page) => {
		await page.addInitScript("reported = []; reportError = (cause) => reported.push(cause.message)");
		await page.route("**/settings.json", (route) => route.fulfill({ status: 500 }));
		await page.goto(at("/uhai"));
		await heading(page, "Something went wrong").waitFor();
		expect(await page.evaluate("reported")).toEqual(["/settings.json answered 500."]);
		await expectNoFaults(page);
		await page.unroute("**/settings.json");
		await page.getByRole("button", { name: "Reload" }).click();
		await page.getByLabel("Password", { exact: true }).waitFor();
	}));

test.each(["/auth/callback?code=stolen&state=00ff", "/uhai/auth/callback?code=stolen&state=00ff"])(
	"an answer at %s that belongs to no sign-in of this tab is refused, and its code leaves the address",
	(path) =>
		visit(async (page) => {
			await page.goto(at(path));
			await heading(page, "Sign-in failed").waitFor();
			await expect.poll(() => page.url(), patience).toBe(at(path.split("?", 1)[0] ?? ""));
			await page.getByRole("button", { name: "Sign in again" }).click();
			await page.getByLabel("Password", { exact: true }).waitFor();
		}),
);

test("a profile that does not come within 15 seconds is said, and tried again by a press", () =>
	visit(async (page) => {
		await page.clock.install();
		const isAsked = (address: URL) => address.pathname === "/api/v1/auth/me";
		await page.route(isAsked, (route) => {
			if (route.request().method() === "OPTIONS") return route.fallback();
			const headers = { "access-control-allow-origin": stand.urls.console };
			return route.fulfill({ status: 404, headers, json: { error: "not yet", code: "not_found" } });
		});
		await page.goto(at("/uhai"));
		const asked = page.waitForResponse((response) => isAsked(new URL(response.url())));
		await signIn(page, admin.email);
		await asked;
		await page.getByRole("progressbar", { name: "Signing you in…" }).waitFor();
		await page.clock.fastForward(15_000);
		await heading(page, "Sign-in failed").waitFor();
		await page.getByText("Your profile was not available within 15 seconds.").waitFor();
		await expectNoFaults(page);
		await page.unroute(isAsked);
		await page.getByRole("button", { name: "Try again" }).click();
		await heading(page, "Overview").waitFor();
	}));

test("a person who asked to join sees the pending page, and their profile within 15 seconds of the approval, which leads on to the page they opened", () =>
	visit(async (page) => {
		await page.clock.install();
		await page.goto(`${stand.urls.accounts}/register?tenant=uhai`);
		await page.getByLabel("Your name").fill("Wanjiru");
		await page.getByLabel("E-mail address").fill("wanjiru@uhai.example");
		await page.getByLabel("Password", { exact: true }).fill("Karibu-2026!");
		await page.getByRole("button", { name: "Continue", exact: true }).click();
		await page.getByText("You are asking to join Uhai Hospital.").waitFor();
		await page.getByRole("button", { name: "Register", exact: true }).click();
		await heading(page, "Waiting for approval").waitFor();
		await page.goto(at("/uhai"));
		await heading(page, "Waiting for approval").waitFor();
		expect(page.url()).toBe(at("/uhai/pending"));
		await expectNoFaults(page);
		await page.goto(at("/uhai/sessions"));
		await heading(page, "Waiting for approval").waitFor();
		expect(page.url()).toBe(at("/uhai/pending?next=%2Fuhai%2Fsessions"));
		await visit(async (other) => {
			await enter(other, at("/uhai"), admin);
			await openPath(other, "/uhai/people/waiting");
			await other.getByRole("button", { name: "Approve Wanjiru" }).click();
			await other.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
			await other.getByText("Wanjiru was approved.").waitFor();
		});
		await page.clock.fastForward(15_000);
		await heading(page, "Your profile").waitFor();
		expect(page.url()).toBe(at("/uhai/profile?next=%2Fuhai%2Fsessions"));
		await page.getByRole("button", { name: "Continue to the page you opened" }).click();
		await heading(page, "Sessions").waitFor();
		expect(page.url()).toBe(at("/uhai/sessions"));
	}));
