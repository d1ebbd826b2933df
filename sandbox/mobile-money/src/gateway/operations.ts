import { push } from "../push/push.ts";
import { pushQuery } from "../push/push-query.ts";
import { qr } from "../qr/qr.ts";
import type { Operation } from "./operation.ts";

/** Every operation of the API, besides the token. */
export const operations: readonly Operation[] = [push, pushQuery, qr];
