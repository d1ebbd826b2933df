import { expect, test } from "vitest";
import { toRegistration } from "./register.queries.ts";

const person = { name: "Amina", email: "amina@example.com", password: "a b c d e f" };
const organization = { name: "Soko", slug: "soko", org_size: "1-10", use_case: "retail" };
const { name: organization_name, ...rest } = organization;

test("a registration with a new organisation has the selected plan", () => {
	const entered = { ...person, organization_name, ...rest, plan: "growth" };
	expect(toRegistration({ kind: "create_new" }, entered)).toEqual({
		...person,
		org_action: "create_new",
		organization,
		selected_plan: "growth",
	});
});

test("without a selected plan no plan is sent", () => {
	const sent = toRegistration({ kind: "create_new" }, { ...person, organization_name, ...rest, plan: "" });
	expect(sent).not.toHaveProperty("selected_plan");
});

test.each([
	["rider", "rider"],
	["member", "member"],
	["superuser", "member"],
])("the requested role %s is sent as %s", (requested_role, sent) => {
	const entered = { ...person, tenant_slug: "uhai", requested_role };
	expect(toRegistration({ kind: "join_existing" }, entered)).toEqual({
		...person,
		org_action: "join_existing",
		tenant_slug: "uhai",
		requested_role: sent,
	});
});

test("a registration with an invitation sends no tenant", () => {
	expect(toRegistration({ kind: "invited", invitation: "abc" }, person)).toEqual({
		...person,
		org_action: "join_existing",
		invitation: "abc",
	});
});
