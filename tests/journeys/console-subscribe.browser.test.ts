import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { type ConsoleTenant, offerYearly, registerTenant } from "./console-tenant.ts";
import { faultsOf, heading, openSharedConsole, type SharedConsole, signIn } from "./console-visit.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const at = (path: string) => `${stand.urls.console}${path}`;
const subscription = (page: Page) => heading(page, "Subscription").waitFor();
const main = (page: Page) => page.getByRole("main");
const follow = (page: Page, name: string) => main(page).getByRole("link", { name, exact: true }).click();
const press = (page: Page, name: string) => main(page).getByRole("button", { name, exact: true }).click();
const confirm = (page: Page, name: string) =>
	page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

/** A new tenant, prepared as the test needs it, and its administrator before its subscription. */
function visit(
	prepare: (tenant: ConsoleTenant) => Promise<unknown>,
	look: (page: Page, tenant: ConsoleTenant) => Promise<void>,
	window?: Parameters<SharedConsole["visit"]>[1],
) {
	return async () => {
		const tenant = await registerTenant(stand);
		await prepare(tenant);
		await stand.visit(async (page) => {
			await page.goto(at(`/${tenant.slug}/subscribe`));
			await signIn(page, tenant.email);
			await subscription(page);
			await look(page, tenant);
		}, window);
	};
}

test("the plan that was chosen at the registration is begun, once, and the overview opens", async () => {
	const tenant = await registerTenant(stand, { selectedPlan: "GROWTH" });
	await stand.visit(async (page) => {
		let begun = 0;
		page.on("request", (request) => {
			if (request.method() === "POST" && request.url().endsWith("/subscription")) begun += 1;
		});
		await page.goto(at(`/${tenant.slug}`));
		await signIn(page, tenant.email);
		await heading(page, "Overview").waitFor();
		await main(page).getByText("Growth", { exact: true }).waitFor();
		await page.goto(at(`/${tenant.slug}/subscribe`));
		await main(page).getByText("On trial", { exact: true }).waitFor();
		expect(begun).toBe(1);
	});
});

test.each([{}, { width: 360, height: 740, touch: true, colorScheme: "dark" } as const])(
	"a plan that was chosen at the registration and cannot be begun comes first and says so: %j",
	async (window) => {
		const tenant = await registerTenant(stand, { selectedPlan: "GROWTH" });
		await stand.visit(async (page) => {
			let isRefused = false;
			await page.route("**/subscription", (route) => {
				if (isRefused || route.request().method() !== "POST") return route.fallback();
				isRefused = true;
				const headers = { "access-control-allow-origin": stand.urls.console };
				return route.fulfill({ status: 409, headers, json: { error: "no", code: "conflict" } });
			});
			await page.goto(at(`/${tenant.slug}/subscribe`));
			await signIn(page, tenant.email);
			await subscription(page);
			const first = main(page).getByRole("listitem").filter({ hasText: "a month" }).first();
			await first.getByRole("heading", { name: "Growth" }).waitFor();
			await first.getByText("You chose it when you registered").waitFor();
			expect(await main(page).getByText("You chose it when you registered").count()).toBe(1);
			expect(await faultsOf(page)).toEqual([]);
			await press(page, "Try Growth");
			await page.getByText("Your free trial of Growth has started").waitFor();
			await expect.poll(() => main(page).getByText("You chose it when").count(), patience).toBe(0);
		}, window);
	},
);

test(
	"a new organisation begins a trial by one press, changes its plan in it after a question, and pays for it",
	visit(
		async () => undefined,
		async (page) => {
			await page.getByText("Your organisation has no plan yet.").waitFor();
			await expect.poll(() => main(page).getByText("14 days free").count(), patience).toBe(3);
			await press(page, "Try Starter");
			await page.getByText("Your free trial of Starter has started").waitFor();
			await main(page).getByText("On trial", { exact: true }).waitFor();
			await press(page, "Switch to Growth");
			await confirm(page, "Switch to Growth");
			await page.getByText("You now have Growth until the trial ends.").waitFor();
			await follow(page, "Pay for Growth");
			await heading(page, "Pay for Growth").waitFor();
			await page.getByText(/^Covers \d+\s\w+\s\d+ to \d+\s\w+\s\d+\.$/).waitFor();
			await press(page, "Pay Ksh 4,500.00");
			await subscription(page);
			await page.getByText("Ksh 4,500.00 for Growth was paid. Thank you.").waitFor();
			await main(page).getByText("Active", { exact: true }).waitFor();
			await page.getByText(/^Ksh\s4,500\.00 a month on \d+\s\w+\s\d+$/).waitFor();
			await main(page)
				.getByRole("row", { name: /Growth/ })
				.getByText("Paid")
				.waitFor();
			await press(page, "Dismiss");
			await expect.poll(() => page.getByText("was paid. Thank you.").count(), patience).toBe(0);
		},
	),
);

test(
	"an upgrade shows what is gained and what is given back, and is there once it is paid",
	visit(
		(tenant) => tenant.paysFor("STARTER"),
		async (page, tenant) => {
			await follow(page, "Upgrade to Professional");
			await heading(page, "Change to Professional").waitFor();
			await page.getByRole("heading", { name: "What you gain" }).waitFor();
			await page.getByText("Riders: 100 instead of 0").waitFor();
			await page.getByText("Credit for Starter").waitFor();
			await page.getByText("Professional, prorated").waitFor();
			expect(await page.getByRole("radio").count()).toBe(0);
			const pay = main(page).getByRole("button", { name: /^Pay Ksh/ });
			const { body } = await tenant.ask("POST", "/quote", { plan: "PROFESSIONAL" });
			const due = (Number(body["due_minor"]) / 100).toLocaleString("en-KE", { minimumFractionDigits: 2 });
			expect((await pay.textContent())?.replace("\u00a0", " ")).toBe(`Pay Ksh ${due}`);
			await pay.click();
			await page.getByText("for Professional was paid. Thank you.").waitFor();
			expect((await tenant.ask("GET", "")).body).toMatchObject({ plan: "PROFESSIONAL", status: "ACTIVE" });
		},
	),
);

test(
	"a payment that is refused changes nothing, says why, and leads back to where it is tried again",
	visit(
		async (tenant) => {
			await tenant.paysFor("STARTER");
			await tenant.answers("refuses");
		},
		async (page, tenant) => {
			await follow(page, "Upgrade to Growth");
			await main(page)
				.getByRole("button", { name: /^Pay Ksh/ })
				.click();
			const refusal = main(page).getByRole("alert");
			await refusal.getByText("Nothing has changed.").waitFor();
			await refusal.getByText("refused by the sandbox").waitFor();
			expect((await tenant.ask("GET", "")).body).toMatchObject({ plan: "STARTER" });
			const row = main(page).getByRole("row", { name: /^Growth Change/ });
			await row.getByText("It was refused by the sandbox, as configured.").waitFor();
			await tenant.answers("pays");
			await follow(page, "Try again");
			await heading(page, "Change to Growth").waitFor();
			await main(page)
				.getByRole("button", { name: /^Pay Ksh/ })
				.click();
			await page.getByText("for Growth was paid. Thank you.").waitFor();
		},
	),
);

test(
	"a payment without a response is shown as pending, also after a reload, and can be withdrawn",
	visit(
		async (tenant) => {
			await tenant.ask("POST", "", { plan: "STARTER" });
			await tenant.answers("silent");
		},
		async (page, tenant) => {
			await follow(page, "Pay for Starter");
			await press(page, "Pay Ksh 1,500.00");
			const waiting = page.getByRole("progressbar", { name: "Waiting for the payment" });
			await waiting.waitFor();
			await page.goto(at(`/${tenant.slug}/subscribe`));
			await waiting.waitFor();
			await main(page)
				.getByRole("row", { name: /Starter/ })
				.getByText("Pending")
				.first()
				.waitFor();
			expect(await faultsOf(page)).toEqual([]);
			await press(page, "Withdraw");
			await confirm(page, "Withdraw");
			await page.getByText("The payment was withdrawn.").waitFor();
			await expect.poll(() => waiting.count(), patience).toBe(0);
			expect((await tenant.ask("GET", "/billing")).body["open_payment_id"]).toBeNull();
		},
	),
);

test(
	"what takes something away warns of use beyond it, waits for the period's end, and can be withdrawn",
	visit(
		async (tenant) => {
			await tenant.paysFor("GROWTH");
			await tenant.uses("rider_count", 4);
		},
		async (page, tenant) => {
			await follow(page, "Downgrade to Starter");
			await page.getByRole("heading", { name: "What you lose" }).waitFor();
			await page.getByText("Multiple outlets").waitFor();
			await page.getByText("Riders: you use 4, and 0 will be allowed.").waitFor();
			expect(await page.getByRole("radio", { name: /at the end of the paid period/ }).isChecked()).toBe(true);
			await main(page)
				.getByRole("button", { name: /^Change on/ })
				.click();
			await page.getByText("Confirm that you understand what you will lose.").waitFor();
			expect(await page.evaluate("document.activeElement.type")).toBe("checkbox");
			await page.getByLabel("I understand what we will lose").check();
			await main(page)
				.getByRole("button", { name: /^Change on/ })
				.click();
			await page.getByText(/^Your plan changes to Starter on \d+\s\w+\s\d+\.$/).waitFor();
			await main(page).getByText("Comes next").waitFor();
			await press(page, "Withdraw change");
			await confirm(page, "Withdraw change");
			await page.getByText("The change was withdrawn.").waitFor();
			expect((await tenant.ask("GET", "")).body["pending_change"]).toBeNull();
		},
	),
);

test(
	"a downgrade at once becomes credit, which is shown and used before money",
	visit(
		(tenant) => tenant.paysFor("GROWTH"),
		async (page) => {
			await follow(page, "Downgrade to Starter");
			await page.getByRole("radio", { name: "Now" }).check();
			await page.getByText("Added to your credit").waitFor();
			await page.getByLabel("I understand what we will lose").check();
			await press(page, "Change now");
			await page.getByText("The subscription was changed.").waitFor();
			await page.getByText(/^Ksh\s[\d,.]+, used for the next payment$/).waitFor();
			await main(page).getByText("Starter", { exact: true }).first().waitFor();
		},
	),
);

test(
	"an add-on is taken beside the plan, and dropped where the period ends",
	visit(
		(tenant) => tenant.paysFor("STARTER"),
		async (page) => {
			await follow(page, "Add Point of sale");
			await heading(page, "Add Point of sale").waitFor();
			await main(page)
				.getByRole("button", { name: /^Pay Ksh/ })
				.click();
			await page.getByText("was paid. Thank you.").waitFor();
			await main(page).getByText("Added to your plan").waitFor();
			await page.getByText(/^Ksh\s2,500\.00 a month on/).waitFor();
			await follow(page, "Remove Point of sale");
			await page.getByLabel("I understand what we will lose").check();
			await main(page)
				.getByRole("button", { name: /^Change on/ })
				.click();
			await main(page)
				.getByText(/^Ends on \d+\s\w+\s\d+$/)
				.waitFor();
			await page.getByText(/^Your add-ons change on/).waitFor();
		},
	),
);

test(
	"an add-on is dropped with an overdue payment, after what is lost is shown and acknowledged",
	visit(
		async (tenant) => {
			await tenant.paysFor("STARTER");
			const quote = await tenant.ask("POST", "/quote", { add_ons: ["pos"] });
			await tenant.ask("POST", "/change", { quote_id: quote.body["quote_id"], mode: "now" });
			await tenant.reaches("/add-ons", ({ items }) => items?.length === 1);
			await tenant.answers("refuses");
			await tenant.daysPass(31);
			await tenant.reaches("", ({ status }) => status === "PAST_DUE");
		},
		async (page, tenant) => {
			await main(page).getByText("It will be retried automatically").waitFor();
			await tenant.answers("pays");
			await follow(page, "Pay for Starter");
			await heading(page, "Pay for Starter").waitFor();
			const kept = page.getByRole("checkbox", { name: "Point of sale" });
			await main(page).getByRole("button", { name: "Pay Ksh 2,500.00" }).waitFor();
			expect(await kept.isChecked()).toBe(true);
			await kept.uncheck();
			await main(page).getByRole("heading", { name: "What you lose" }).waitFor();
			expect(await faultsOf(page)).toEqual([]);
			await press(page, "Pay Ksh 1,500.00");
			await main(page).getByText("Confirm that you understand what you will lose.").waitFor();
			await page.getByLabel("I understand what we will lose").check();
			await press(page, "Pay Ksh 1,500.00");
			await page.getByText("Ksh 1,500.00 for Starter was paid. Thank you.").waitFor();
			expect((await tenant.ask("GET", "/add-ons")).body["items"]).toEqual([]);
		},
	),
);

test(
	"a subscription is cancelled after a question, and continues after all by a press",
	visit(
		(tenant) => tenant.paysFor("STARTER"),
		async (page, tenant) => {
			await press(page, "Cancel subscription");
			await page.getByRole("dialog").getByText("It is not renewed and ends on").waitFor();
			await confirm(page, "Cancel subscription");
			await page.getByText(/^The subscription is cancelled and ends on/).waitFor();
			await page.getByText("None: the subscription is not renewed").waitFor();
			await press(page, "Resume subscription");
			await page.getByText("The subscription was resumed.").waitFor();
			expect((await tenant.ask("GET", "/billing")).body["cancelled_at"]).toBeNull();
		},
	),
);

test("a person who is not an administrator sees the plans without buttons, and who may change them", () =>
	stand.visit(async (page) => {
		await page.goto(at("/kahawa/subscribe"));
		await signIn(page, "cashier@kahawa.example");
		await subscription(page);
		await page.getByText("Only an administrator of your organisation").waitFor();
		await page.getByRole("heading", { name: "Professional" }).waitFor();
		expect(await main(page).getByRole("button").count()).toBe(0);
		expect(await main(page).getByRole("link").count()).toBe(0);
		await page.goto(at("/kahawa/subscribe/change?plan=GROWTH"));
		await page.getByText("Only an administrator of your organisation").waitFor();
	}));

test("a change to the current plan says so, and links back", () =>
	stand.visit(async (page) => {
		await page.goto(at("/uhai/subscribe/change?plan=PROFESSIONAL"));
		await signIn(page, "admin@uhai.example");
		await heading(page, "Nothing to change").waitFor();
		await follow(page, "Back to the subscription");
		await subscription(page);
		await main(page).getByText("Included in your plan", { exact: true }).waitFor();
		expect(await main(page).getByRole("link", { name: "Add Point of sale" }).count()).toBe(0);
	}));

// The last, since a plan that is offered is offered to all.
test(
	"where some plans are paid by the year one kind is shown at a time, and a yearly one begins a period of its own",
	visit(
		async (tenant) => {
			await offerYearly(stand, { code: "GROWTH_YEAR", name: "Growth for a year" });
			await tenant.paysFor("STARTER");
		},
		async (page) => {
			await page.getByRole("heading", { name: "Professional" }).waitFor();
			expect(await page.getByText("Growth for a year").count()).toBe(0);
			await main(page).getByText("Yearly", { exact: true }).click();
			await page.getByText("Ksh 45,000.00 a year").waitFor();
			await page.getByText("no limit").waitFor();
			expect(await page.getByRole("heading", { name: "Professional" }).count()).toBe(0);
			expect(await faultsOf(page)).toEqual([]);
			await follow(page, "Upgrade to Growth for a year");
			await page.getByText("Credit for Starter").waitFor();
			await page.getByText(/^Then paid until \d+\s\w+\s\d+\./).waitFor();
			await page.getByLabel("I understand what we will lose").check();
			await main(page)
				.getByRole("button", { name: /^Pay Ksh/ })
				.click();
			await page.getByText("for Growth for a year was paid. Thank you.").waitFor();
			await page.getByText(/^Ksh\s45,000\.00 a year on/).waitFor();
		},
	),
);
