package importer

// burstSeconds is a real bursty stream, second by second: a positive number is how many arrivals that
// second had, a negative one how many seconds had none. 637 seconds, 508 arrivals, variance over mean
// 9.5, one silence of 217 s.
//
// Derived from seconds 2735 to 3371 of the code-completion arrivals of AzurePublicDataset's LLM inference
// trace 2023 (CC-BY; Patel et al., Splitwise, ISCA 2024).
var burstSeconds = [...]int16{
	-114, 3, 5, 1, 9, 4, 7, 3, -216, 1, 4, 4, -1, 10, 5, 18, 8, 1, -1, 1, 6, 20, 19, -45, 2, -3, 3, 9, -1, 5, 9,
	3, 12, 5, 7, 9, 11, 17, 11, 3, -7, 4, 6, 5, 5, 4, 3, 4, 2, 5, 2, -1, 6, 10, 19, 21, 10, -44, 7, 9, 6, -78,
	6, 7, 19, 3, 5, 5, 12, 5, -38, 5, 9, -1, 3, 4, 2, 4, 12, 6, 12, 6, 7, 5, 4, 4, -14,
}
