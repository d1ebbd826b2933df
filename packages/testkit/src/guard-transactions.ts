import { setTransactionGuard } from "@lango/tracing";

// Set-up of every test that may use a database: a second connection inside a transaction, an HTTP request inside one and waiting
// there for a shared load throw, instead of being logged.
setTransactionGuard("throw");
