import Type, { type Static, type TSchema } from "typebox";
import type { Operation } from "../faults/fault-words.ts";
import type { Gateway } from "../gateway.ts";

/** What a call is answered with, besides `status: true`. */
type Answer = { message: string; data?: unknown; meta?: unknown };

type Call<Body extends TSchema, Query extends TSchema> = {
	body: Static<Body>;
	query: Static<Query>;
	params: Readonly<Record<string, string>>;
};

type RouteOf<Body extends TSchema, Query extends TSchema> = {
	operation: Operation;
	method: "GET" | "POST";
	url: string;
	summary: string;
	/** Of the answer; 200 if it is missing. */
	status?: number;
	body?: Body;
	query?: Query;
	answer(gateway: Gateway, call: Call<Body, Query>): Answer;
};

/** A call of the gateway. */
export type ApiRoute = RouteOf<TSchema, TSchema>;

/** A call whose `answer` knows the types of its body and query. Members that are not declared are ignored. */
export const apiRoute = <Body extends TSchema = TSchema, Query extends TSchema = TSchema>(
	route: RouteOf<Body, Query>,
): ApiRoute => route as unknown as ApiRoute;

/** Lowest units; at most 10,000,000,000.00. */
export const amountShape = Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 });
export const currencyShape = Type.String({ pattern: "^[A-Z]{3}$", default: "KES" });
export const nameShape = Type.String({ minLength: 1, maxLength: 200 });
export const textShape = Type.String({ maxLength: 500 });
