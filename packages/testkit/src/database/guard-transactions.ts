import { setTransactionGuard } from "@lango/tracing";

// Set-up of every test with a database: inside a transaction, a second connection, an HTTP request or waiting
// for a shared load throws instead of being logged.
setTransactionGuard("throw");
