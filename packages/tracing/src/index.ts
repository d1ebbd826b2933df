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
export {
	currentRequestContext,
	type RequestContext,
	withoutRequestContext,
	withRequestContext,
} from "./request-context.ts";
export {
	endSpan,
	inSpan,
	kindOf,
	type RequestContextOptions,
	runWithSpan,
	type SpanOptions,
	startRequestContext,
} from "./span.ts";
export { tracedFetch } from "./traced-fetch.ts";
export { readTraceparent, type TraceMembers, toTraceMembers } from "./traceparent.ts";
