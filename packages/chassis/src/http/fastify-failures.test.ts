import { errorCodes } from "fastify";
import { expect, test } from "vitest";
import { failureStatus } from "../request/failure.ts";
import { failureOfFastify } from "./fastify-failures.ts";

/** Fastify calls these a bad request, but only our own code can cause them. */
const bugs = ["FST_ERR_CTP_INSTANCE_ALREADY_STARTED", "FST_ERR_INVALID_URL"];
const catalogue = Object.entries(errorCodes).map(([code, FastifyError]) => {
	const error = new FastifyError();
	return { code, error, status: error.statusCode ?? 500 };
});

test("the catalogue of Fastify's errors is read", () => {
	expect(catalogue.length).toBeGreaterThan(80);
	expect(catalogue.map(({ code }) => code)).toEqual(expect.arrayContaining(bugs));
});

test.each(catalogue)("$code is answered as its status says", ({ code, error, status }) => {
	const failure = failureOfFastify(error);
	if (status === 500 || bugs.includes(code)) return expect(failure).toBeUndefined();
	// A path parameter that is too long is invalid input, as a field of a body that is too long.
	const expected = code === "FST_ERR_MAX_PARAM_LENGTH" || code === "FST_ERR_ROUTE_MISSING_CONTENT_TYPE";
	const answered = failure && failureStatus[failure.kind];
	return expect(answered).toBe(expected ? { 414: 400, 400: 415 }[status] : status);
});

test("a body that ends early because the caller went away is malformed, and no bug", () => {
	const aborted = Object.assign(new Error("aborted"), { code: "ECONNRESET", statusCode: 400 });
	expect(failureOfFastify(aborted)).toMatchObject({ code: "malformed_body", fields: { field: "body" } });
	const ours = Object.assign(new Error("read"), { code: "ECONNRESET" });
	expect(failureOfFastify(ours)).toBeUndefined();
});
