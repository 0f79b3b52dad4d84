package main

func main() {
	sum := 0.0
	for i := 0; i < 1000; i++ {
		sum = sum*0.9 + float64(i)
	}
	println(sum)
}
