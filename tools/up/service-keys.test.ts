import { servicePurposes } from "@lango/contracts";
import { expect, test } from "vitest";
import { parts } from "../up.ts";
import { secretsForCompose } from "./deployment-secrets.ts";
import { acceptedBy, keysBeside, listDevelopmentKeys, listGivenKeys } from "./service-keys.ts";

const services = parts.services.map(({ service }) => service);

test("each caller has a key of its own for each purpose, and no service is given one it does not need", () => {
	const given = listGivenKeys(services).map(({ caller, purpose }) => `${caller} ${purpose}`);
	const domain = [
		"hospital",
		"inventory",
		"logistics",
		"marketflow",
		"notifications",
		"ordering",
		"pos",
		"projects",
		"treasury",
	];
	expect(given.toSorted()).toEqual(
		[
			"auth snapshot.read",
			"logistics usage.report",
			"notifications links.read",
			"notifications recipients.read",
			"notifications usage.report",
			"ordering usage.report",
			...domain.flatMap((name) => [`${name} snapshot.read`, `${name} tenants.read`]),
		].toSorted(),
	);
});

test("the services that are called accept exactly the keys that were made, each for its own purpose", () => {
	const secrets = secretsForCompose(services, "lango.test");
	for (const [receiver, purposes] of Object.entries(servicePurposes)) {
		const entries = String(secrets[`${receiver.toUpperCase()}_API_KEYS`]).split(",");
		const expected = listGivenKeys(services)
			.filter(({ purpose }) => (purposes as readonly string[]).includes(purpose))
			.map(({ caller, purpose, variable }) => `${caller}:${purpose}:${secrets[variable]}`);
		expect(entries.toSorted()).toEqual(expected.toSorted());
	}
});

test("a service beside the platform of npm start calls with keys that the platform accepts", () => {
	const keys = listDevelopmentKeys(services);
	const made = Object.fromEntries(keys.map(({ variable }) => [variable, `key of ${variable}`]));
	const accepted = acceptedBy(keys, made);
	const [hospital] = services.filter(({ name }) => name === "hospital");
	if (hospital === undefined) throw new Error("there is no hospital");
	const beside = keysBeside({ ...hospital }, { ...made, HOSPITAL_SNAPSHOT_READ_KEY: "" });
	expect(beside["HOSPITAL_SNAPSHOT_READ_KEY"]).toBe("key of BESIDE_SNAPSHOT_READ_KEY");
	expect(accepted["SUBSCRIPTIONS_API_KEYS"]).toContain(
		"beside:snapshot.read:key of BESIDE_SNAPSHOT_READ_KEY",
	);
	expect(accepted["AUTH_API_KEYS"]).toContain("beside:tenants.read:key of BESIDE_TENANTS_READ_KEY");
});
