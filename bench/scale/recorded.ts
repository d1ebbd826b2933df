import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Flow } from "../sign-on/flows.ts";
import type { Histogram } from "./histogram.ts";

/** The flows that are measured; reading comes behind what gives the tokens it needs. */
export const measuredFlows = [
	"code flow",
	"refresh",
	"refresh with an ID token",
	"me",
	"userinfo",
	"tenant",
	"sign-in",
] as const satisfies readonly Flow[];
export type MeasuredFlow = (typeof measuredFlows)[number];

/** What one flow costs at full load, on the average. */
export type Cost = {
	perSecond: number;
	serverMs: number;
	databaseMs: number;
	driverMs: number;
	/** What the service sends to PostgreSQL, `begin` and `commit` included. */
	statements: number;
	/** Of the log of changes, without pages written whole. */
	walBytes: number;
	/** Pages it is the first to change after a checkpoint, each of which is then written whole to the log. */
	pages: number;
	/** Rows it leaves behind, by table. */
	rows: Record<string, number>;
};

/** Times of one kind of request when it is the only one, in milliseconds, and its bytes, headers included. */
export type ServiceTimes = {
	/** Processor time of the service, all its threads. */
	server: Histogram;
	/** Processor time of PostgreSQL, all its processes. */
	database: Histogram;
	/** What else passes until the answer: the disk, waking up, the network, the driver. */
	rest: Histogram;
	sentBytes: number;
	receivedBytes: number;
};

/** What one run of the bench recorded: the simulation stands on it. */
export type Recorded = {
	date: string;
	machine: string;
	command: string;
	installation: { people: number; tenants: number };
	/** What a row takes with its indexes, by table. */
	bytesARow: Record<string, number>;
	costs: Record<MeasuredFlow, Cost>;
	/** By flow, and in it by request. */
	serviceTimes: Record<MeasuredFlow, Record<string, ServiceTimes>>;
};

const path = join(import.meta.dirname, "recorded.json");

/** Throws when nothing was recorded yet. */
export const readRecorded = (): Recorded => JSON.parse(readFileSync(path, "utf8")) as Recorded;

export function writeRecorded(recorded: Recorded): void {
	// One line for each list: what changed from run to run can be read.
	const text = JSON.stringify(recorded, rounded, "\t");
	const lists = text.replaceAll(
		/\[\s+([^\]]*?)\s+\]/g,
		(_, list: string) => `[${list.replaceAll(/\s+/g, " ")}]`,
	);
	writeFileSync(path, `${lists}\n`);
}

/** Six digits say more than a measurement knows. */
const rounded = (_: string, value: unknown) =>
	typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
