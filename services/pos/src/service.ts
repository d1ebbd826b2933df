import { join } from "node:path";
import { defineDomainService, everyone } from "@lango/chassis";
import { settings } from "./config.ts";
import { failures } from "./failures.ts";
import { outletRoutes } from "./outlets/outlet.routes.ts";
import { pinRoutes } from "./pins/pin.routes.ts";
import { prepare } from "./prepare.ts";
import { signInRoutes } from "./sign-in/sign-in.routes.ts";
import { purgeTillSessions } from "./sign-in/till.jobs.ts";
import { tillTokens } from "./sign-in/till-token.ts";
import { pinProfileRoutes } from "./staff/pin-profile.routes.ts";
import { staffRoutes } from "./staff/staff.routes.ts";
import { terminalRoutes } from "./terminals/terminal.routes.ts";

export { demoPin, seedDemoPin } from "./demo.ts";

/** The permissions of everybody who works at a till. */
const trade = ["pos.outlets.view", "pos.pins.change_own"];

/** The point of sale: tills, and the people who sign in at them by PIN. */
export const pos = defineDomainService({
	name: "pos",
	title: "Point of sale",
	base: "/api/v1/:tenant/pos",
	product: "pos",
	permissions: {
		terminals: ["add", "view", "delete"],
		pins: ["change", "change_own", "delete", "manage"],
		staff: ["view"],
		outlets: ["view"],
	},
	roles: {
		pos_admin: ["pos.*"],
		pos_manager: ["pos.terminals.*", "pos.pins.*", "pos.staff.*", "pos.outlets.*"],
		pos_operator: ["pos.terminals.view", "pos.pins.change_own", "pos.staff.*", "pos.outlets.*"],
		// A user with any other role may be a customer, who must not see names.
		pos_viewer: ["pos.outlets.view"],
		cashier: trade,
		waiter: trade,
		kitchen: trade,
		bar: trade,
	},
	firstRole: [
		[["superuser", "admin"], "pos_admin"],
		[["manager"], "pos_manager"],
		[["staff"], "pos_operator"],
		[["cashier"], "cashier"],
		[["waiter"], "waiter"],
		[["kitchen"], "kitchen"],
		[["bar"], "bar"],
		[everyone, "pos_viewer"],
	],
	roleField: "pos_role",
	settings,
	failures: [failures],
	migrations: [{ name: "pos", folder: join(import.meta.dirname, "../database") }],
	corsHeaders: ["X-Terminal-Token"],
	prepare,
	ownTokens: tillTokens,
	routes: [terminalRoutes, pinRoutes, staffRoutes, outletRoutes],
	routesOutsideBase: [signInRoutes, pinProfileRoutes],
	jobs: [purgeTillSessions],
});
