/** The port of the sandbox's HTTP interface. */
export const defaultPort = 4092;
/** The port of the sandbox's SMTP server. */
export const defaultSmtpPort = 4093;
