import { type ServiceDefinition, settingsOf, variableOf } from "@lango/chassis";
import { type KeyPurpose, keyVariable, servicePurposes } from "@lango/contracts";
import { prefixOf } from "./parts.ts";

/** A key with which one service calls another for one purpose, and the caller's variable for it. */
export type ServiceKey = { caller: string; purpose: KeyPurpose; variable: string; isRequired: boolean };

/** The keys of calls between services, as declared in their settings. */
function listServiceKeys(services: readonly ServiceDefinition[]): ServiceKey[] {
	return services.flatMap((service) => {
		const { prefix, table } = settingsOf(service);
		return Object.entries(table).flatMap(([name, setting]) => {
			if (!("purpose" in setting)) return [];
			const purpose = setting.purpose as KeyPurpose;
			const isRequired = setting.optional !== true;
			return [{ caller: service.name, purpose, variable: variableOf(prefix, name, setting), isRequired }];
		});
	});
}

/**
 * The keys of a deployment's services: all required ones, and for every domain service the key to read
 * tenants. Services that require the usage key report usage.
 */
export const listGivenKeys = (services: readonly ServiceDefinition[]): ServiceKey[] =>
	listServiceKeys(services).filter(({ purpose, isRequired }) => isRequired || purpose === "tenants.read");

/** The caller's name of a service that runs beside the platform of `npm start`. */
const besideCaller = "beside";
const besideKeys: readonly ServiceKey[] = (["tenants.read", "snapshot.read", "usage.report"] as const).map(
	(purpose) => ({
		caller: besideCaller,
		purpose,
		variable: keyVariable(besideCaller, purpose),
		isRequired: false,
	}),
);

/** The keys of `npm start`: those of its services, and those of one that runs beside it. */
export const listDevelopmentKeys = (services: readonly ServiceDefinition[]): ServiceKey[] => [
	...listGivenKeys(services),
	...besideKeys,
];

/** Returns `AUTH_API_KEYS` and `SUBSCRIPTIONS_API_KEYS`, the keys that the called services accept. */
export function acceptedBy(
	keys: readonly ServiceKey[],
	made: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
	return Object.fromEntries(
		Object.entries(servicePurposes).map(([receiver, purposes]) => {
			const accepted = keys.filter(({ purpose }) => (purposes as readonly string[]).includes(purpose));
			const entries = accepted.flatMap(({ caller, purpose, variable }) => {
				const key = made[variable];
				return key === undefined ? [] : [`${caller}:${purpose}:${key}`];
			});
			return [`${prefixOf(receiver)}_API_KEYS`, entries.join(",")];
		}),
	);
}

/** The keys of the service beside, under the variables that the given service reads. */
export function keysBeside(
	service: ServiceDefinition,
	environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
	return Object.fromEntries(
		listServiceKeys([service]).map(({ purpose, variable }) => [
			variable,
			environment[variable] || environment[keyVariable(besideCaller, purpose)],
		]),
	);
}
