import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Flow } from "../sign-on/flows.ts";

/** The measured flows; a flow that needs tokens is behind one that gets them. */
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

/** The mean cost of one flow at full load. */
export type Cost = {
	perSecond: number;
	serverMs: number;
	databaseMs: number;
	driverMs: number;
	/** The statements that the service sends to PostgreSQL, `begin` and `commit` included. */
	statements: number;
	/** WAL bytes without full pages. */
	walBytes: number;
	/**
	 * Pages that the flow is the first to change after a checkpoint; PostgreSQL writes each of them whole to
	 * the WAL.
	 */
	pages: number;
	/** Added rows, by table. */
	rows: Record<string, number>;
	/** The bytes of its responses, headers included. */
	receivedBytes: number;
};

/** The record of one run of the bench, from which the cost model is computed. */
export type Recorded = {
	date: string;
	machine: string;
	command: string;
	installation: { people: number; tenants: number };
	/** The bytes of a row with its indexes, by table. */
	bytesARow: Record<string, number>;
	costs: Record<MeasuredFlow, Cost>;
};

const path = join(import.meta.dirname, "recorded.json");

/** Reads the record. Throws an Error if there is none yet. */
export const readRecorded = (): Recorded => JSON.parse(readFileSync(path, "utf8")) as Recorded;

/** Writes the record. */
export function writeRecorded(recorded: Recorded): void {
	writeFileSync(path, `${JSON.stringify(recorded, rounded, "\t")}\n`);
}

/** A measurement has no more than six reliable digits. */
const rounded = (_: string, value: unknown) =>
	typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
