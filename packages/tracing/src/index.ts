export {
	openTracing,
	type SamplerName,
	samplers,
	type Tracing,
	type TracingOptions,
} from "./open-tracing.ts";
export {
	type LendingPool,
	outsideTransactions,
	requireNoOpenTransaction,
	setTransactionGuard,
	type TransactionGuard,
	TransactionOpen,
	withOpenTransaction,
} from "./open-transaction.ts";
export { beginTrail, endSpan, followTrail, inSpan, kindOf, type SpanWish, type TrailWish } from "./span.ts";
export { tracedFetch } from "./traced-fetch.ts";
export { readTraceparent, type TraceMembers, toTraceMembers } from "./traceparent.ts";
export { currentTrail, offTrail, onTrail, type Trail } from "./trail.ts";
